/* chunk.h - the bytes of messages (chunk.c). Private to examples/messages. */
#ifndef MESSAGES_CHUNK_H
#define MESSAGES_CHUNK_H

#include "../direct/direct.h"

typedef struct messages_task messages_task;

/* The bytes of a message, in shared memory; several messages may carry the same. */
typedef struct messages_chunk {
    size_t bytes;
    uint32_t references;
    bool absent; /* the content does not matter and is not stored */
    char padding[3];
    char data[];
} messages_chunk;

messages_chunk *messages_chunk_new(size_t bytes);
messages_chunk *messages_chunk_absent(size_t bytes);
void messages_chunk_drop(messages_chunk *chunk);

#endif
