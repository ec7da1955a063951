/* streams.c - files that the program reads and writes by streams of the C library: fgets(), getline(), fread(), fputs() and so on. The C
 * library calls the kernel for them by a table of functions that each stream has. The table is ours in a run, so that a thread that
 * reads a line from a pipe waits as in read(). */
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { READ, WRITE, SEEK, CLOSE, FUNCTIONS }; /* as they follow each other in a table */

typedef union streams_functions {
    void *places[FUNCTIONS];
    struct {
        ssize_t (*read)(FILE *, void *, ssize_t);
        ssize_t (*write)(FILE *, const void *, ssize_t);
        off64_t (*seek)(FILE *, off64_t, int);
        int (*close)(FILE *);
    } of;
} streams_functions;

static streams_functions real; /* of the C library */

static ssize_t streams__read(FILE *file, void *bytes, ssize_t count)
{
    const threads_pipes_turn turn = threads_pipes_before("fread", fileno_unlocked(file), POLLIN, false);
    if (turn == THREADS_PIPES_FAILED) return -1;
    threads_disk_look look = threads_disks_before((size_t)count);
    const ssize_t done = real.of.read(file, bytes, count);
    threads_pipes_after(turn);
    threads_disks_after(&look, "fread", fileno_unlocked(file), false, false, done);
    return done;
}

static ssize_t streams__write(FILE *file, const void *bytes, ssize_t count)
{
    const int number = fileno_unlocked(file);
    ssize_t there = 0, piece, done;
    do {
        piece = count - there;
        if (threads_pipes_large(number, (size_t)piece)) piece = THREADS_PIPES_PIECE;
        const threads_pipes_turn turn = threads_pipes_before("fwrite", number, POLLOUT, false);
        threads_disk_look look = threads_disks_before((size_t)piece);
        done = turn == THREADS_PIPES_FAILED ? 0 : real.of.write(file, (const char *)bytes + there, piece);
        threads_pipes_after(turn);
        threads_disks_after(&look, "fwrite", number, true, false, done);
        if (done > 0) there += done;
    } while (done == piece && there < count);
    return there;
}

static int streams__close(FILE *file)
{
    const bool noticed = threads_pipes_come("fclose", fileno_unlocked(file));
    const int result = real.of.close(file);
    if (noticed) threads_pipes_after(THREADS_PIPES_TIMED);
    return result;
}

/* The tables are in memory that the loader protects against writing. */
static int streams__library(struct dl_phdr_info *info, size_t bytes, void *user)
{
    streams_functions ours = real;
    ours.of.read = streams__read;
    ours.of.write = streams__write;
    ours.of.close = streams__close;
    (void)bytes, (void)user;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    bool here = false;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, place = (uintptr_t)real.places[READ];
        if (info->dlpi_phdr[i].p_type == PT_LOAD && place >= from && place < from + info->dlpi_phdr[i].p_memsz)
            here = true;
    }
    for (int i = 0; here && i < info->dlpi_phnum; ++i) {
        if (info->dlpi_phdr[i].p_type != PT_GNU_RELRO) continue;
        char *const from = (char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        char *const to = from + info->dlpi_phdr[i].p_memsz;
        char *const first = (char *)((uintptr_t)from & ~(page - 1));
        char *const last = (char *)((uintptr_t)to & ~(page - 1));
        if (mprotect(first, (size_t)(last - first), PROT_READ | PROT_WRITE) != 0) return 1;
        for (void **at = (void **)(void *)from; (char *)(at + FUNCTIONS) <= last; ++at)
            if (memcmp(at, real.places, sizeof real.places) == 0) memcpy(at, ours.places, sizeof ours.places);
        mprotect(first, (size_t)(last - first), PROT_READ);
    }
    return here;
}

/* A C library that does not name these functions keeps its own. */
void threads_streams_prepare(void)
{
    static const char *const names[FUNCTIONS] = { "_IO_file_read", "_IO_file_write", "_IO_file_seek",
                                                  "_IO_file_close" };
    for (int i = 0; i < FUNCTIONS; ++i)
        if (!(real.places[i] = dlsym(RTLD_NEXT, names[i]))) return;
    dl_iterate_phdr(streams__library, NULL);
}
