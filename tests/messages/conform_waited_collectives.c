/* conform_waited_collectives.c - the cases of conform_collectives.c with nonblocking collectives. */
#include "conform.h"
#include "waited.h"

#undef CASE
#define CASE(name, ranks)                                                                                              \
    {                                                                                                                  \
        "waited_" #name, name, ranks                                                                                   \
    }
#define conform_collectives conform_waited_collectives
#include "conform_collectives.c"
