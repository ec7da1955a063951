/* disks.c - what files cost: disks [shared|cold]. With --charge 0, 1 MB of cache, 1 MB/s and 0.25 s, each time is exact. cold: reads a
 * file that is no longer in memory, and prints how long it waited for the disk [s]. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MILLION = 1000000 };
static char bytes[4 * MILLION];
static char path[] = "/tmp/disks.XXXXXX";
static int file;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec - 1000 + 1e-9 * (double)t.tv_nsec;
}

static void tell(const char *what, long result)
{
    printf("%s: %ld at %.9f\n", what, result, now());
}

static void *synchronize(void *which)
{
    usleep(which ? 500000 : 0);
    tell(which ? "a second write" : "a write", pwrite(file, bytes, MILLION, which ? MILLION : 0));
    tell(which ? "the second fsync" : "fsync", fsync(file));
    return which;
}

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int read_cold(void)
{
    for (int i = 0; i < 16; ++i)
        if (write(file, bytes, sizeof bytes) != sizeof bytes) return 1;
    fsync(file);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    lseek(file, 0, SEEK_SET);
    const double began = now(), used = cpu();
    while (read(file, bytes, MILLION) > 0) continue;
    printf("waited %.6f\n", (now() - began) - (cpu() - used));
    return 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    file = mkstemp(path);
    unlink(path);
    if (strcmp(mode, "cold") == 0) return read_cold();
    if (strcmp(mode, "shared") == 0) {
        pthread_t t;
        pthread_create(&t, NULL, synchronize, &file);
        synchronize(NULL);
        return pthread_join(t, NULL);
    }
    tell("within the cache", write(file, bytes, MILLION));
    tell("beyond it", write(file, bytes, 2 * MILLION));
    sleep(3);
    tell("later", write(file, bytes, MILLION));
    tell("fsync", fsync(file));
    tell("and again", fdatasync(file));
    lseek(file, 0, SEEK_SET);
    tell("three of four parts come from the disk", read(file, bytes, MILLION));
    tell("at a place", pread(file, bytes, 2 * MILLION, 0));
    return 0;
}
