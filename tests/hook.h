/* A reallocation hook for tests: it knows how large every block is, sees whether somebody wrote behind one, and can say no.
 * Include after simkit.h. */
#ifndef HOOK_H
#define HOOK_H

#include <stdlib.h>
#include <string.h>

typedef struct hook {
    size_t held, blocks;
    long left;          /* allocations until it says no; negative: never */
    bool refused, once; /* has said no; says it only once */
} hook;

static inline void *reallocate(void *user, void *pointer, size_t old_bytes, size_t new_bytes)
{
    static const char behind[] = "behind the block";
    hook *h = (hook *)user;
    size_t *block = pointer ? (size_t *)pointer - 2 : NULL, *moved;

    if (block ? *block != old_bytes : old_bytes != 0) abort(); /* told the wrong size */
    if (block && memcmp((char *)(block + 2) + old_bytes, behind, sizeof behind) != 0) abort();
    if (new_bytes == 0) {
        h->held -= old_bytes;
        h->blocks -= block != NULL;
        free(block);
        return NULL;
    }
    if (h->left == 0) {
        h->refused = true;
        if (h->once) h->left = -1;
        return NULL;
    }
    if (h->left > 0) --h->left;
    moved = (size_t *)realloc(block, new_bytes + 2 * sizeof *moved + sizeof behind);
    if (!moved) abort();
    memcpy((char *)(moved + 2) + new_bytes, behind, sizeof behind);
    *moved = new_bytes;
    h->held += new_bytes - old_bytes;
    h->blocks += !block;
    return moved + 2;
}

#endif
