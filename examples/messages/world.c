/* The body of the kit, once. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
