/* world.c - the body of simkit.h, as much of it as is needed, hidden in the library. */
#define _GNU_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "core.h"
