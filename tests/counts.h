/* What the tests of the queue share: a step that counts how often it runs. Include after simkit.h. */
#ifndef COUNTS_H
#define COUNTS_H

#include <stddef.h>

static inline void counts(simkit_world *w, void *user)
{
    (void)w;
    ++*(size_t *)user;
}

#endif
