/* plugin.h - policies in shared objects */
/** @file */
#ifndef PLUGIN_H
#define PLUGIN_H

#include "server.h"

/** Loads a policy from a shared object, which defines `server_result server_policy_open(const char *arguments,
 *  server_policy *policy)`. The object stays loaded until the program ends, unless there is an error.
 *
 *  @param[in]  name    Its path, with a `/` in it; then, after a colon, arguments for it.
 *  @param[out] policy  For server_open().
 *  @param[out] why     why[200]: the error as a sentence.
 *  @return  SERVER_OK; SERVER_BAD_ARGUMENT; SERVER_NO_MEMORY, or what the object returns.
 */
server_result plugin_make(const char *name, server_policy *policy, char why[200]);

#endif
