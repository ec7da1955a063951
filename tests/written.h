/* The text of a file that a test has had written. */
#ifndef WRITTEN_H
#define WRITTEN_H

#include "close.h"

#include <stdio.h>

/* Reads a file, which is not empty, and removes it; free() it. */
static inline char *take(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long length = ftell(file);
    assert_true(length > 0);
    char *text = (char *)calloc((size_t)length + 1, 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, (size_t)length, file), (size_t)length);
    fclose(file);
    assert_int_equal(remove(path), 0);
    return text;
}

static inline size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; ++at) ++count;
    return count;
}

#endif
