/* How much CPU time did the processes of a Unix machine use, according to its process accounting?
 * cc -O2 -I. examples/tools/accounting.c -o accounting -lm && lastcomm --pid | ./accounting - > day.csv
 *
 * Converts the output of `lastcomm` or `dump-acct` into a table for simkit_workload_read(): start, CPU time and name of
 * each process. Without arguments, a sample of three processes. */
#define SIMKIT_IMPLEMENTATION
#include "accounting.h"

static const char sample[] = "make              F    root     __         0.19 secs Tue Nov 14 22:14 1001 1000\n"
                             "bash                   root     pts/0      1.03 secs Tue Nov 14 22:13 1000 1\n"
                             "cc \"1\"           S     nobody   __         7.50 secs Tue Nov 14 22:14 1002 1001\n";

static char *read_all(FILE *file, size_t *length)
{
    char *text = NULL;
    size_t size = 0, got = 1;
    for (*length = 0; got > 0; *length += got) {
        if (*length == size) {
            char *more = (char *)realloc(text, size = size ? 2 * size : 65536);
            if (!more) return free(text), NULL;
            text = more;
        }
        got = fread(text + *length, 1, size - *length, file);
    }
    return text;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "sample";
    accounting_process *processes;
    simkit_parse_error error;
    size_t length = sizeof sample - 1, count;
    char *text = NULL;
    if (argc > 2 || strcmp(name, "--help") == 0)
        return puts("accounting [FILE]   converts the output of lastcomm or dump-acct; -: standard input; default: a "
                    "sample"),
               argc > 2;
    if (argc > 1) {
        FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
        text = file ? read_all(file, &length) : NULL;
        if (!text || ferror(file)) return fprintf(stderr, "accounting: cannot read %s\n", name), 1;
    }
    if (!accounting_read(text ? text : sample, length, name, &processes, &count, &error))
        return fprintf(stderr, "accounting: %s\n", error.text), 1;
    accounting_print(stdout, processes, count);
    free(processes);
    free(text);
    return 0;
}
