/* For LD_PRELOAD: the allocation of number REFUSED_AT (from 0, counted from main() on) is refused; all after it, too, unless
 * REFUSED_ONCE is set. With REFUSED_COUNT=FILE the number of allocations of the first process is written there instead. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic bool begun;
static _Atomic long made;
static long refused_at = -1;
static bool once;
static char counted[256];
static int (*program)(int, char **, char **);

/* dlsym() allocates before it can tell where the real functions are. */
static char early[1 << 16];
static size_t early_used;

static bool refuse(void)
{
    if (!begun) return false;
    const long number = made++;
    if (refused_at < 0 || (once ? number != refused_at : number < refused_at)) return false;
    errno = ENOMEM;
    return true;
}

static void *take_early(size_t bytes)
{
    void *block = early + early_used;
    early_used += (bytes + 15) / 16 * 16;
    if (early_used > sizeof early) abort();
    return block;
}
static bool is_early(const void *block) { return (const char *)block >= early && (const char *)block < early + sizeof early; }

void *malloc(size_t bytes)
{
    static void *(*real)(size_t);
    static bool asking;
    if (refuse()) return NULL;
    if (!real) {
        if (asking) return take_early(bytes);
        asking = true;
        real = (void *(*)(size_t))(uintptr_t)dlsym(RTLD_NEXT, "malloc");
        asking = false;
    }
    return real(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    static void *(*real)(size_t, size_t);
    static bool asking;
    if (refuse()) return NULL;
    if (!real) {
        if (asking) return take_early(count * bytes);
        asking = true;
        real = (void *(*)(size_t, size_t))(uintptr_t)dlsym(RTLD_NEXT, "calloc");
        asking = false;
    }
    return real(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    static void *(*real)(void *, size_t);
    if (refuse()) return NULL;
    if (!real) real = (void *(*)(void *, size_t))(uintptr_t)dlsym(RTLD_NEXT, "realloc");
    if (is_early(block)) {
        void *moved = malloc(bytes);
        if (moved) memcpy(moved, block, bytes);
        return moved;
    }
    return real(block, bytes);
}

void free(void *block)
{
    static void (*real)(void *);
    if (is_early(block)) return;
    if (!real) real = (void (*)(void *))(uintptr_t)dlsym(RTLD_NEXT, "free");
    real(block);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    static int (*real)(void **, size_t, size_t);
    if (refuse()) return ENOMEM;
    if (!real) real = (int (*)(void **, size_t, size_t))(uintptr_t)dlsym(RTLD_NEXT, "posix_memalign");
    return real(block, alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    static void *(*real)(size_t, size_t);
    if (refuse()) return NULL;
    if (!real) real = (void *(*)(size_t, size_t))(uintptr_t)dlsym(RTLD_NEXT, "aligned_alloc");
    return real(alignment, bytes);
}

static void count(void)
{
    char text[32];
    const int file = open(counted, O_WRONLY | O_CREAT | O_EXCL, 0600); /* the first process that ends; others find it there */
    if (file < 0) return;
    if (write(file, text, (size_t)snprintf(text, sizeof text, "%ld\n", (long)made)) < 0) abort();
    close(file);
}

static int run(int argc, char **argv, char **environment)
{
    const char *at = getenv("REFUSED_AT"), *file = getenv("REFUSED_COUNT");
    if (at) refused_at = atol(at);
    once = getenv("REFUSED_ONCE") != NULL;
    if (file) {
        snprintf(counted, sizeof counted, "%s", file);
        atexit(count);
    }
    begun = true;
    return program(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*leave)(void), void *stack);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*leave)(void), void *stack)
{
    int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *) =
        (int (*)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                 void *))(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");
    program = main;
    return real(run, argc, argv, init, fini, leave, stack);
}
