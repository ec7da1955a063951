/* memory.c - memory of our own. The program's allocator may itself use locks, so it is not called. */
#define _GNU_SOURCE
#include "core.h"

#include <string.h>
#include <sys/mman.h>

enum { CLASSES = 48 };
#define CHUNK ((size_t)1 << 20) /* [B] */

static char *fresh, *fresh_end;
static void *spare[CLASSES]; /* blocks that have been given back, by the logarithm of their size */

static unsigned memory__class(size_t bytes)
{
    unsigned which = 5;
    while ((size_t)1 << which < bytes) ++which;
    return which;
}

static void *memory__take(size_t bytes)
{
    const unsigned which = memory__class(bytes);
    const size_t whole = (size_t)1 << which;
    if (spare[which]) {
        void **block = spare[which];
        spare[which] = *block;
        return block;
    }
    if (whole > (size_t)(fresh_end - fresh)) {
        const size_t room = whole > CHUNK ? whole : CHUNK;
        void *place = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (place == MAP_FAILED) return NULL;
        if (whole > CHUNK / 2) return place;
        fresh = place;
        fresh_end = fresh + room;
    }
    void *block = fresh;
    fresh += whole;
    return block;
}

void *threads_reallocate(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    if (block && new_bytes > 0 && memory__class(old_bytes) == memory__class(new_bytes)) return block;
    void *made = new_bytes > 0 ? memory__take(new_bytes) : NULL;
    if (new_bytes > 0 && !made) return NULL;
    if (block) {
        const unsigned which = memory__class(old_bytes);
        if (made) memcpy(made, block, old_bytes < new_bytes ? old_bytes : new_bytes);
        *(void **)block = spare[which];
        spare[which] = block;
    }
    return made;
}

void *threads_new_memory(size_t bytes)
{
    void *block = memory__take(bytes);
    if (!block) threads_die("no memory");
    return memset(block, 0, bytes);
}
