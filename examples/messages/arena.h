/* arena.h - memory shared by all tasks of a run, at one address (arena.c). Private to examples/messages. */
#ifndef MESSAGES_ARENA_H
#define MESSAGES_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MESSAGES_ADDRESS_SPACE ((size_t)256 << 30)

typedef struct messages_task messages_task;

/* The bytes of a message, in shared memory; several messages may carry the same. */
typedef struct messages_chunk {
    size_t bytes;
    uint32_t references;
    bool absent; /* the content does not matter and is not stored */
    char padding[3];
    char data[];
} messages_chunk;

int messages_memory_file(const char *name);
bool messages_arena_make(size_t *bytes, int *file); /* fewer if the system limits address space */
bool messages_arena_map(int file);
bool messages_arena_exists(void); /* whether its addresses are taken */
void *messages_new(size_t bytes); /* zeroed; ends the run without memory */
void messages_free(void *block, size_t bytes);
bool messages_lock(void); /* with several cores: waits until no other task works on the arena; false: no effect */
void messages_unlock(void);
bool messages_lock_try(void);   /* whether this process has it now */
void messages_lock_break(void); /* the run ends: does not wait long for a task that may have died with it */
void messages_lock_free(const messages_task *task); /* which has died, perhaps with it */
messages_chunk *messages_chunk_new(size_t bytes);
messages_chunk *messages_chunk_absent(size_t bytes);
void messages_chunk_drop(messages_chunk *chunk);
void *messages_reallocate(void *user, void *block, size_t old_bytes, size_t new_bytes);

#endif
