/* disks.c - what reading and writing regular files costs, where the disk of the node is described: a cache of so many bytes, a bandwidth, a
 * latency. Copying between the program and the cache is CPU time. What is written goes to the disk at its bandwidth, in the order in
 * which it was written by all threads and ranks of the node, while they go on; a write waits while more than the cache is on its way,
 * fsync() until all is there, and a latency more. Of a file that is larger than the cache, the part that does not fit comes from the disk,
 * in the same line; a read at a place of its own (pread()) takes that part of a latency more. One number says all: when the disk will
 * have done what it has been told.
 *
 * Where no disk is described, reading and writing take CPU time only, and fsync() as long as it really takes on this machine. */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TOLD_AFTER 0.01 /* [s] */

static direct_disk own; /* of a program that runs alone */

void threads_disks_describe(double cache, double bandwidth, double latency)
{
    own = (direct_disk){ cache, bandwidth, latency, 0 };
}

/* NULL: it is not described. */
static direct_disk *disks__disk(void)
{
    direct_disk *d = threads_engine->disk ? threads_engine->disk() : &own;
    return d->bandwidth > 0 ? d : NULL;
}

bool threads_disks_count(void)
{
    return threads_turn_mine() && disks__disk();
}

static void disks__wait(threads_thread *t, direct_disk *d, double until)
{
    if (!(until > threads_now())) return;
    threads_object *disk = threads_object_of(THREADS_FILES, threads_engine->disk ? (void *)&own : d);
    threads_object_sited(t, disk, NULL);
    threads_wait(t, disk, until - threads_set.timer_delay, false);
}

/* The disk does so much more; returns when it will be done. */
static double disks__busy(direct_disk *d, double bytes, double latency)
{
    d->free_at = fmax(d->free_at, threads_now()) + bytes / d->bandwidth + latency;
    return d->free_at;
}

void threads_disks_used(const char *call, int file, bool writes, bool placed, ssize_t bytes)
{
    struct stat about;
    const int error = errno;
    if (bytes <= 0 || file <= STDERR_FILENO || !threads_disks_count() ||
        threads_real.syscall(SYS_fstat, file, &about) != 0 || !S_ISREG(about.st_mode)) {
        errno = error;
        return;
    }
    threads_thread *t = threads_begin(call);
    direct_disk *d = disks__disk();
    if (writes) {
        const bool at_once = threads_real.syscall(SYS_fcntl, file, F_GETFL) & O_DSYNC; /* O_SYNC has its bits */
        const double done = disks__busy(d, (double)bytes, at_once ? d->latency : 0);
        disks__wait(t, d, at_once ? done : done - d->cache / d->bandwidth);
    } else if ((double)about.st_size > d->cache) {
        const double part = 1 - d->cache / (double)about.st_size;
        disks__wait(t, d, disks__busy(d, part * (double)bytes, placed ? part * d->latency : 0));
    }
    threads_leave(t);
    errno = error;
}

/*=============================================================================
 * MARK: - >>reading and writing at a place
 *===========================================================================*/

#define PLACED_CALL(name, parameters, arguments, file, writes)                                                         \
    THREADS_PUBLIC ssize_t name parameters                                                                             \
    {                                                                                                                  \
        static __typeof__(&name) real;                                                                                 \
        if (!real) *(void **)(void *)&real = threads_real_function(#name);                                             \
        const ssize_t done = real arguments;                                                                           \
        if (threads_disks_count()) threads_disks_used(#name, file, writes, true, done);                                \
        return done;                                                                                                   \
    }

PLACED_CALL(pread, (int file, void *bytes, size_t count, off_t at), (file, bytes, count, at), file, false)
PLACED_CALL(pread64, (int file, void *bytes, size_t count, off64_t at), (file, bytes, count, at), file, false)
PLACED_CALL(preadv, (int file, const struct iovec *parts, int count, off_t at), (file, parts, count, at), file, false)
PLACED_CALL(preadv64, (int file, const struct iovec *parts, int count, off64_t at), (file, parts, count, at), file,
            false)
PLACED_CALL(pwrite, (int file, const void *bytes, size_t count, off_t at), (file, bytes, count, at), file, true)
PLACED_CALL(pwrite64, (int file, const void *bytes, size_t count, off64_t at), (file, bytes, count, at), file, true)
PLACED_CALL(pwritev, (int file, const struct iovec *parts, int count, off_t at), (file, parts, count, at), file, true)
PLACED_CALL(pwritev64, (int file, const struct iovec *parts, int count, off64_t at), (file, parts, count, at), file,
            true)

/*=============================================================================
 * MARK: - >>fsync() and its kin
 *===========================================================================*/

static void disks__told(const char *call, double seconds)
{
    static double taken;
    static bool said;
    taken += seconds;
    if (said || taken < TOLD_AFTER || threads_set.fixed) return;
    said = true;
    threads_say("%s() takes as long as on the disk of this machine, because no other is described", call);
}

/* After the call, which began then [s, by the real clock]. */
static void disks__synchronized(threads_thread *t, const char *call, double began)
{
    direct_disk *d = disks__disk();
    if (!t) return;
    if (d) {
        disks__wait(t, d, disks__busy(d, 0, d->latency));
    } else if (!threads_set.fixed) {
        const double seconds = direct_clock(CLOCK_MONOTONIC) - began;
        disks__wait(t, &own, threads_now() + seconds);
        disks__told(call, seconds);
    }
    threads_leave(t);
}

/* Makes the call and its wait; returns its result. */
static int disks__synchronize(const char *call, long number, const long arguments[3])
{
    if (!threads_real.syscall) threads_above.prepare();
    threads_thread *t = threads_turn_mine() ? threads_begin(call) : NULL;
    const double began = t ? direct_clock(CLOCK_MONOTONIC) : 0;
    const int done = (int)threads_real.syscall(number, arguments[0], arguments[1], arguments[2]);
    const int error = errno;
    disks__synchronized(t, call, began);
    errno = error;
    return done;
}

THREADS_PUBLIC int fsync(int file)
{
    return disks__synchronize("fsync", SYS_fsync, (long[3]){ file });
}

THREADS_PUBLIC int fdatasync(int file)
{
    return disks__synchronize("fdatasync", SYS_fdatasync, (long[3]){ file });
}

THREADS_PUBLIC int syncfs(int file)
{
    return disks__synchronize("syncfs", SYS_syncfs, (long[3]){ file });
}

THREADS_PUBLIC void sync(void)
{
    disks__synchronize("sync", SYS_sync, (long[3]){ 0 });
}

THREADS_PUBLIC int msync(void *from, size_t bytes, int flags)
{
    return disks__synchronize("msync", SYS_msync, (long[3]){ (long)from, (long)bytes, flags });
}
