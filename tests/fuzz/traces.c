/* Traces of processes. */
#include "trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = exact_copy(data, size);
    read_trace(text, size);
    free(text);
    return 0;
}
