/* tests/scratch.h   Files that a test writes: `make check` runs the same test in several builds at once, from one folder. */
#include <stdio.h>
#include <unistd.h>

/* build/NAME.PROCESS.ENDING; valid until the eighth call after this one. */
static const char *scratch(const char *name, const char *ending)
{
    static char paths[8][128];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "build/%s.%ld.%s", name, (long)getpid(), ending);
    return path;
}
