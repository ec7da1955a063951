/* plugin.c - see plugin.h */
#include "plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef server_result opener(const char *arguments, server_policy *policy);

server_result plugin_make(const char *name, server_policy *policy, char why[200])
{
    char path[1024];
    const char *colon = strchr(name, ':');
    const size_t length = colon ? (size_t)(colon - name) : strlen(name);
    why[0] = 0;
    if (length >= sizeof path) {
        snprintf(why, 200, "the path of a policy is longer than %lu characters", (unsigned long)sizeof path - 1);
        return SERVER_BAD_ARGUMENT;
    }
    memcpy(path, name, length);
    path[length] = 0;
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol = object ? dlsym(object, "server_policy_open") : NULL;
    if (!symbol) {
        const char *error = dlerror();
        snprintf(why, 200, "%.180s", error ? error : "the policy has no server_policy_open()");
        if (object) dlclose(object);
        return SERVER_BAD_ARGUMENT;
    }
    opener *open;
    memcpy(&open, &symbol, sizeof open); /* POSIX: a pointer to a function fits into one to an object */
    memset(policy, 0, sizeof *policy);
    server_result result = open(colon ? colon + 1 : "", policy);
    if (result != SERVER_OK) {
        snprintf(why, 200, "the policy '%.150s' does not open", name);
    } else if (!policy->happened || !policy->decide) {
        snprintf(why, 200, "the policy '%.150s' has no `happened` or no `decide`", name);
        if (policy->close) policy->close(policy->state);
        result = SERVER_BAD_ARGUMENT;
    }
    if (result != SERVER_OK) dlclose(object);
    return result;
}
