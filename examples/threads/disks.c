/* disks.c - what reading and writing regular files costs, where the disk of the node is described: a cache of so many bytes, a bandwidth, a
 * latency. Copying between the program and the cache is CPU time. What is written goes to the disk at its bandwidth, in the order in
 * which it was written by all threads and ranks of the node, while they go on; a write waits while more than the cache is on its way,
 * fsync() until all is there, and a latency more. Of a file that is larger than the cache, the part that does not fit comes from the disk,
 * in the same line; a read at a place of its own (pread()) takes that part of a latency more. One number says all: when the disk will
 * have done what it has been told.
 *
 * Where no disk is described, that of this machine is: a thread that waits for it in reading, writing or fsync() does so for as long as it
 * really takes. */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LOOKED_AT = 4096 }; /* a smaller piece [B] is part of what an earlier call has brought */
#define LOOKED_AFTER 20e-6 /* [s]: no disk is faster */
#define TOLD_AFTER 0.01    /* [s] */

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

/* The CPU time of this thread [s], and how often it has waited of its own accord. */
static double disks__cpu(long *waits)
{
    struct rusage r;
    threads_real.syscall(SYS_getrusage, RUSAGE_THREAD, &r);
    *waits = r.ru_nvcsw;
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + 1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

threads_disk_look threads_disks_before(size_t bytes)
{
    threads_disk_look look = { .counts = threads_turn_mine() };
    if (!look.counts || disks__disk()) return look;
    look.counts = !threads_set.fixed && bytes >= LOOKED_AT;
    if (!look.counts) return look;
    look.began = direct_clock(CLOCK_MONOTONIC);
    look.cpu = disks__cpu(&look.waits);
    return look;
}

/* Returns how long the thread has really waited since then [s]; 0 if it only was kept from its core by another thread. */
static double disks__waited(const threads_disk_look *before)
{
    long waits;
    const double seconds = direct_clock(CLOCK_MONOTONIC) - before->began;
    if (seconds < LOOKED_AFTER) return 0;
    const double cpu = disks__cpu(&waits) - before->cpu;
    return waits > before->waits ? fmax(seconds - cpu, 0) : 0;
}

/* Waits in virtual time for as long as this machine's disk has really taken [s]. */
static void disks__waits(threads_thread *t, const char *call, double seconds)
{
    static double taken;
    static bool said;
    disks__wait(t, &own, threads_now() + seconds);
    taken += seconds;
    if (said || taken < TOLD_AFTER) return;
    said = true;
    threads_say("%s() takes as long as on the disk of this machine, because no other is described", call);
}

static bool disks__regular(int file, struct stat *about)
{
    return file > STDERR_FILENO && threads_real.syscall(SYS_fstat, file, about) == 0 && S_ISREG(about->st_mode);
}

static void disks__used(direct_disk *d, threads_thread *t, const struct stat *about, int file, bool writes, bool placed,
                        double bytes)
{
    if (writes) {
        const bool at_once = threads_real.syscall(SYS_fcntl, file, F_GETFL) & O_DSYNC; /* O_SYNC has its bits */
        const double done = disks__busy(d, bytes, at_once ? d->latency : 0);
        disks__wait(t, d, at_once ? done : done - d->cache / d->bandwidth);
    } else if ((double)about->st_size > d->cache) {
        const double part = 1 - d->cache / (double)about->st_size;
        disks__wait(t, d, disks__busy(d, part * bytes, placed ? part * d->latency : 0));
    }
}

void threads_disks_after(threads_disk_look *before, const char *call, int file, bool writes, bool placed, ssize_t bytes)
{
    struct stat about;
    if (!before->counts || bytes <= 0 || !threads_turn_mine()) return;
    const int error = errno;
    direct_disk *d = disks__disk();
    const double waited = d ? 0 : disks__waited(before);
    if ((d || waited > 0) && disks__regular(file, &about)) {
        threads_thread *t = threads_begin(call);
        if (d)
            disks__used(d, t, &about, file, writes, placed, (double)bytes);
        else
            disks__waits(t, call, waited);
        threads_leave(t);
        before->began = (double)INFINITY; /* the other file of sendfile() and its kin is not waited for again */
    }
    errno = error;
}

/*=============================================================================
 * MARK: - >>reading and writing at a place
 *===========================================================================*/

#define PLACED_CALL(name, parameters, arguments, file, room, writes)                                                   \
    THREADS_PUBLIC ssize_t name parameters                                                                             \
    {                                                                                                                  \
        static __typeof__(&name) real;                                                                                 \
        if (!real) *(void **)(void *)&real = threads_real_function(#name);                                             \
        threads_disk_look look = threads_disks_before(room);                                                           \
        const ssize_t done = real arguments;                                                                           \
        threads_disks_after(&look, #name, file, writes, true, done);                                                   \
        return done;                                                                                                   \
    }

PLACED_CALL(pread, (int file, void *bytes, size_t count, off_t at), (file, bytes, count, at), file, count, false)
PLACED_CALL(pread64, (int file, void *bytes, size_t count, off64_t at), (file, bytes, count, at), file, count, false)
PLACED_CALL(preadv, (int file, const struct iovec *parts, int count, off_t at), (file, parts, count, at), file,
            SIZE_MAX, false)
PLACED_CALL(preadv64, (int file, const struct iovec *parts, int count, off64_t at), (file, parts, count, at), file,
            SIZE_MAX, false)
PLACED_CALL(pwrite, (int file, const void *bytes, size_t count, off_t at), (file, bytes, count, at), file, count, true)
PLACED_CALL(pwrite64, (int file, const void *bytes, size_t count, off64_t at), (file, bytes, count, at), file, count,
            true)
PLACED_CALL(pwritev, (int file, const struct iovec *parts, int count, off_t at), (file, parts, count, at), file,
            SIZE_MAX, true)
PLACED_CALL(pwritev64, (int file, const struct iovec *parts, int count, off64_t at), (file, parts, count, at), file,
            SIZE_MAX, true)

/*=============================================================================
 * MARK: - >>fsync() and its kin
 *===========================================================================*/

/* After the call, which began then [s, by the real clock]. */
static void disks__synchronized(threads_thread *t, const char *call, double began)
{
    direct_disk *d = disks__disk();
    if (!t) return;
    if (d) {
        disks__wait(t, d, disks__busy(d, 0, d->latency));
    } else if (!threads_set.fixed) {
        disks__waits(t, call, direct_clock(CLOCK_MONOTONIC) - began);
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
