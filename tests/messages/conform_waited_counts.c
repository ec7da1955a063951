/* conform_waited_counts.c - the cases of conform_counts.c with nonblocking collectives. */
#include "conform.h"
#include "waited.h"

#undef CASE
#define CASE(name, ranks)                                                                                              \
    {                                                                                                                  \
        "waited_" #name, name, ranks                                                                                   \
    }
#define conform_counts conform_waited_counts
#include "conform_counts.c"
