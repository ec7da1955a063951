/* tests/kit.c   The bodies of all headers. They are compiled once for all programs, which see the declarations alone: those are
 * compiled with tests/declare.h before them. */
#define SIMKIT_IMPLEMENTATION
#include <simkit.h>
#include <util/netmodel_fit.h>
#include <util/simkit_statistics.h>
#include <util/simkit_files.h>
#include <util/simkit_users.h>
#include <util/simkit_trace.h>
#include <util/simkit_why.h>
