/* chunk.c - the bytes of messages, in the arena: several messages may carry the same. */
#include "core.h"

messages_chunk *messages_chunk_new(size_t bytes)
{
    messages_chunk *chunk = direct_block(sizeof *chunk + bytes);
    chunk->bytes = bytes;
    chunk->references = 1;
    chunk->absent = false;
    return chunk;
}

/* Equal ones, one after another, are the same. */
messages_chunk *messages_chunk_absent(size_t bytes)
{
    messages_chunk *chunk = messages->absent;
    if (!chunk || chunk->bytes != bytes) {
        messages_chunk_drop(chunk);
        messages->absent = chunk = messages_chunk_new(0);
        chunk->bytes = bytes;
        chunk->absent = true;
    }
    ++chunk->references;
    return chunk;
}

void messages_chunk_drop(messages_chunk *chunk)
{
    if (chunk && --chunk->references == 0) direct_free(chunk, sizeof *chunk + (chunk->absent ? 0 : chunk->bytes));
}
