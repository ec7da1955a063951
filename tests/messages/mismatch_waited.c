/* mismatch_waited.c - mismatch.c with nonblocking collectives. */
#include "waited.h"

#include "mismatch.c"
