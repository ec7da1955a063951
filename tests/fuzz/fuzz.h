/* What the fuzz targets share: a check that ends the run, and a world that does not live for ever. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(x)                                                                                                       \
    do {                                                                                                               \
        if (!(x)) {                                                                                                    \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #x);                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Without a zero byte behind it, so that a read behind the end is seen. */
static inline char *exact_copy(const uint8_t *data, size_t size)
{
    char *copy = (char *)malloc(size ? size : 1);
    CHECK(copy);
    memcpy(copy, data, size);
    return copy;
}

#ifdef SIMKIT_H
/* Memory that is linear in the input: beyond `most` the hook refuses, and the target fails. */
typedef struct budget {
    size_t held, most;
    bool exceeded;
} budget;

static inline void *spend(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    budget *b = (budget *)user;
    void *moved = NULL;
    if (new_bytes > old_bytes && b->held + (new_bytes - old_bytes) > b->most) {
        b->exceeded = true;
        return NULL;
    }
    if (new_bytes == 0) {
        free(block);
    } else {
        moved = realloc(block, new_bytes);
        CHECK(moved);
    }
    b->held += new_bytes - old_bytes;
    return moved;
}

typedef struct limit {
    uint64_t left; /* events */
} limit;

static inline void count_down(const simkit_world *world, void *user, const simkit_watch_event *event)
{
    limit *l = (limit *)user;
    CHECK(event->time >= 0 && event->time - event->time >= 0);
    CHECK(event->time >= event->begin);
    if (l->left-- == 0) simkit_world_stop((simkit_world *)(uintptr_t)world);
}

/* Runs for so many events, and then no more. */
static inline void run_for(simkit_world *world, uint64_t events)
{
    limit l = { events };
    CHECK(simkit_watch_add(world, SIMKIT_WATCH_COMPUTE | SIMKIT_WATCH_TRANSFER | SIMKIT_WATCH_STEP, count_down, &l) ==
          SIMKIT_OK);
    const simkit_result result = simkit_world_run(world);
    CHECK(result == SIMKIT_OK || result == SIMKIT_STOPPED || simkit_world_why(world)[0]);
    simkit_watch_remove(world, count_down, &l);
}
#endif

#ifdef SIMKIT_FILES_H
static inline void check_error(const simkit_parse_error *error)
{
    CHECK(error->text[0] && memchr(error->text, 0, sizeof error->text));
}
#endif
#endif
