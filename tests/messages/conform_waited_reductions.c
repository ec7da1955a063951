/* conform_waited_reductions.c - the cases of conform_reductions.c with nonblocking collectives. */
#include "conform.h"
#include "waited.h"

#undef CASE
#define CASE(name, ranks)                                                                                              \
    {                                                                                                                  \
        "waited_" #name, name, ranks                                                                                   \
    }
#define conform_reductions conform_waited_reductions
#include "conform_reductions.c"
