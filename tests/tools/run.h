/* Runs the main function of a tool within a test, with what it prints and complains about in strings. */
#ifndef RUN_H
#define RUN_H

#include <stdio.h>
#include <unistd.h>

#define END ((char *)0) /* of arguments */

static char printed[8192], complained[2048];

static void take_output(int descriptor, int saved, FILE *file, char *text, size_t size)
{
    dup2(saved, descriptor);
    close(saved);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static int run_tool(int (*tool)(int, char **), int count, char **arguments)
{
    FILE *out = tmpfile(), *error = tmpfile();
    assert_non_null(out);
    assert_non_null(error);
    fflush(stdout), fflush(stderr);
    const int saved_out = dup(1), saved_error = dup(2);
    dup2(fileno(out), 1), dup2(fileno(error), 2);
    const int status = tool(count, arguments);
    fflush(stdout), fflush(stderr);
    take_output(1, saved_out, out, printed, sizeof printed);
    take_output(2, saved_error, error, complained, sizeof complained);
    return status;
}

#endif
