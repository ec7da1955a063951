/* Process accounting, and the trace that examples/tools/accounting.h makes of it: the first byte says whose first line comes
 * before the input, so that all that follows is read in that format. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "../../examples/tools/accounting.h"

#include "trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const first[] = {
        "bash            |v3|    96.00|     7.00|   150.00|     0|     0|   100.00|     0.00|    1000|       1|     |"
        "       0|__      |Tue Nov 14 22:13:20 2023\n",
        "bash            |v2|    96.00|     7.00|   150.00|     0|     0|   100.00|     0.00|__      |Tue Nov 14 "
        "22:13:20 2023\n",
        "bash              F    root     __         0.19 secs Tue Nov 14 22:14 1001 1000\n",
        "bash                   root     __         1.03 secs Tue Nov 14 22:13\n",
    };
    if (size == 0) return 0;
    const char *line = first[data[0] % 4];
    const size_t length = strlen(line), whole = length + size - 1;
    char *text = (char *)malloc(whole), *table = NULL;
    accounting_process *processes;
    simkit_parse_error error;
    size_t count, bytes;
    CHECK(text);
    memcpy(text, line, length);
    memcpy(text + length, data + 1, size - 1);
    if (accounting_read(text, whole, "t", &processes, &count, &error)) {
        FILE *file = open_memstream(&table, &bytes);
        CHECK(file);
        accounting_print(file, processes, count);
        CHECK(fclose(file) == 0);
        read_trace(table, bytes);
        free(table);
        free(processes);
    } else {
        check_error(&error);
    }
    free(text);
    return 0;
}
