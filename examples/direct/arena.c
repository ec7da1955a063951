/* arena.c - the memory of a run. An arena that processes share is at the same address in all of them. Where one task runs at a
 * time, only that task accesses it; where several may, a task holds a lock while it works on it. Block sizes are powers of two divided into four
 * classes each, multiples of 16; free blocks are in a list per size. */
#define _GNU_SOURCE
#include "direct.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* of Linux 6.1 */
#endif

/* Far from heaps, libraries and stacks, and where the sanitizers of gcc and clang let a program have memory: on x86-64, ThreadSanitizer
 * and MemorySanitizer allow few other places. The kernel loads programs from 0x555555554000 on. */
#define ARENA_PLACE ((void *)(uintptr_t)0x550000000000)
#define ARENA_MAGIC UINT64_C(0x73696d6b69742064)
#define PAGE ((uintptr_t)4096)
#define LINE ((uintptr_t)64)
#define LEAST ((size_t)64 << 20)
#define LEAST_PRIVATE ((size_t)4 << 20)
#define STEP ((size_t)1 << 20)  /* [B]: so much of a private arena is opened at a time */
#define LARGE ((size_t)4 << 20) /* [B]: pages of larger blocks are returned to the system */
#define HUGE_PAGE ((size_t)2 << 20)

direct_arena *direct DIRECT_COMMON;
int32_t direct_number DIRECT_COMMON;
direct_ending direct_no_memory DIRECT_COMMON;

static bool arena__map(int file, size_t bytes)
{
    void *place =
        mmap(ARENA_PLACE, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
    if (place == MAP_FAILED) return false;
    if (place != ARENA_PLACE) { /* an old kernel takes the address as a hint */
        munmap(place, bytes);
        errno = EEXIST;
        return false;
    }
    direct = place;
    return true;
}

/* Of this process alone, anywhere. It is opened as it is used (arena__open()), because some systems count all memory that could be
 * written. */
static bool arena__map_private(size_t *bytes)
{
    for (; *bytes >= LEAST_PRIVATE; *bytes = *bytes / 2 / PAGE * PAGE) {
        void *place = mmap(NULL, *bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (place == MAP_FAILED) continue;
        if (mprotect(place, STEP, PROT_READ | PROT_WRITE) == 0) {
            direct = place;
            return true;
        }
        munmap(place, *bytes);
    }
    return false;
}

/* Avoids the number of a closed standard stream. */
int direct_memory_file(const char *name)
{
    int file = memfd_create(name, 0), kept = file < 0 ? -1 : fcntl(file, F_DUPFD, STDERR_FILENO + 1);
    if (file >= 0) close(file);
    return kept;
}

/* A limit of file sizes (ulimit -f) is an error here, not a signal. */
static bool arena__enlarge(int file, size_t bytes)
{
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    const bool done = ftruncate(file, (off_t)bytes) == 0;
    const int error = errno;
    signal(SIGXFSZ, before);
    errno = error;
    return done;
}

bool direct_arena_make(size_t head, size_t *bytes, int *file)
{
    struct rlimit limit;
    /* The rest of the limit is left to the program. */
    const size_t part = file ? 2 : 4, least = file ? LEAST : LEAST_PRIVATE;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur / part < *bytes)
        *bytes = (size_t)(limit.rlim_cur / part) / PAGE * PAGE;
    if (file) *file = direct_memory_file("simkit");
    if (*bytes < least) errno = ENOMEM;
    if (*bytes < least) return false;
    if (file ? *file < 0 || !arena__enlarge(*file, *bytes) || !arena__map(*file, *bytes) : !arena__map_private(bytes))
        return false;
    direct->magic = ARENA_MAGIC;
    direct->bytes = *bytes;
    direct->fresh = (char *)direct + (head + 63) / 64 * 64;
    direct->shared = file != NULL;
    direct->open_to = (char *)direct + (file ? *bytes : STEP);
    direct->huge_from = file ? (char *)direct + 8 * HUGE_PAGE : (char *)direct + *bytes;
    return true;
}

bool direct_arena_map(int file)
{
    if (!arena__map(file, sizeof *direct)) return false;
    const size_t bytes = direct->bytes;
    const bool ours = direct->magic == ARENA_MAGIC;
    munmap(direct, sizeof *direct);
    return ours && arena__map(file, bytes);
}

bool direct_arena_exists(void)
{
    void *place = mmap(ARENA_PLACE, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (place == MAP_FAILED) return errno == EEXIST;
    munmap(place, PAGE);
    return place != ARENA_PLACE;
}

/* The smallest block size for so many bytes, and its class. */
static size_t arena__size_class(size_t bytes, unsigned *which)
{
    if (bytes < 32) bytes = 32;
    unsigned power = 63 - (unsigned)__builtin_clzll(bytes);
    size_t step = power > 5 ? (size_t)1 << (power - 2) : 16, whole = (bytes + step - 1) / step * step;
    power = 63 - (unsigned)__builtin_clzll(whole);
    *which = (power - 5) * 4 + (unsigned)(whole >> (power - 2) & 3);
    return whole;
}

/* Puts what is used next on huge pages: the data of thousands of ranks is on more small ones than a processor can find
 * without reading page tables. Not every system has them; and a small run has no use for them. Asks for a sixteenth more
 * at a time, because each call takes a millisecond. */
static void arena__huge_pages_ask(void)
{
    direct_arena *a = direct;
    while (a->fresh > a->huge_from) {
        char *from = a->huge_from;
        size_t bytes = (size_t)(from - (char *)a) / 16 / HUGE_PAGE * HUGE_PAGE;
        if (bytes < HUGE_PAGE) bytes = HUGE_PAGE;
        a->huge_from = (char *)a + a->bytes;
        if (bytes > (size_t)(a->huge_from - from)) return;
        for (size_t at = 0; at < bytes; at += HUGE_PAGE)
            *(volatile char *)(from + at) = 0; /* one page of each must exist */
        if (madvise(from, bytes, MADV_COLLAPSE) == 0) a->huge_from = from + bytes;
    }
}

/* The lock has the values free, held, and held while others sleep until it is free. */
enum { FREE, HELD, CONTENDED };

static bool locked DIRECT_COMMON;
bool *direct_locked DIRECT_COMMON = &locked;

__attribute__((noinline)) static bool arena__lock_take(void) /* most runs are on one core */
{
    uint32_t *lock = &direct->lock, before = FREE;
    if (!__atomic_compare_exchange_n(lock, &before, HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        while (__atomic_exchange_n(lock, CONTENDED, __ATOMIC_ACQUIRE) != FREE)
            direct_futex(lock, FUTEX_WAIT, CONTENDED, NULL);
    *direct_locked = true;
    direct->locker = direct_number;
    return true;
}

bool direct_lock(void)
{
    return direct->several && !*direct_locked && arena__lock_take();
}

void direct_unlock(void)
{
    if (!*direct_locked) return;
    *direct_locked = false;
    direct->locker = 0;
    if (__atomic_exchange_n(&direct->lock, FREE, __ATOMIC_RELEASE) == CONTENDED)
        direct_futex(&direct->lock, FUTEX_WAKE, 1, NULL);
}

bool direct_lock_try(void)
{
    uint32_t before = FREE;
    if (!direct->several || *direct_locked) return true;
    *direct_locked =
        __atomic_compare_exchange_n(&direct->lock, &before, HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    return *direct_locked;
}

void direct_lock_break(void)
{
    enum { PATIENCE = 200 }; /* times 1 ms */
    const struct timespec step = { 0, 1000000 };
    for (int i = 0; i < PATIENCE && !direct_lock_try(); ++i) direct_nanosleep(&step, NULL);
    *direct_locked = true;
}

void direct_lock_free(int32_t number)
{
    if (direct->locker != number) return;
    *direct_locked = true;
    direct_unlock();
}

/* Opens more of a private arena, for a block of so many bytes. */
static void arena__open(size_t bytes)
{
    const size_t left = (size_t)((char *)direct + direct->bytes - direct->open_to);
    const size_t more = (bytes + STEP + PAGE) / PAGE * PAGE, step = more < left ? more : left;
    if (mprotect(direct->open_to, step, PROT_READ | PROT_WRITE) != 0) direct_no_memory(direct->bytes);
    direct->open_to += step;
}

static void *arena__take_locked(size_t bytes, bool *clean)
{
    unsigned which;
    size_t whole = arena__size_class(bytes, &which);
    void **block = direct->spare[which];
    *clean = !block || whole >= LARGE;
    if (block) {
        direct->spare[which] = *block;
        __builtin_prefetch(*block); /* the next one: where there are thousands of ranks, it is in no cache */
    } else {
        /* whole pages, which can go back to the system; whole lines of the caches */
        const uintptr_t unit = whole >= LARGE ? PAGE : whole % LINE == 0 ? LINE : 1;
        direct->fresh = (char *)(((uintptr_t)direct->fresh + unit - 1) / unit * unit);
        if (whole > (size_t)((char *)direct + direct->bytes - direct->fresh)) direct_no_memory(direct->bytes);
        if (direct->fresh + whole > direct->open_to) arena__open(whole);
        block = (void **)(void *)direct->fresh;
        direct->fresh += whole;
        if (direct->fresh > direct->huge_from) arena__huge_pages_ask();
    }
    direct->used += whole;
    if (direct->used > direct->peak) direct->peak = direct->used;
    if (whole >= LARGE) *block = NULL;
    return block;
}

/* A program may also call outside of calls that take a turn, such as those on groups. */
static void *arena__take(size_t bytes, bool *clean)
{
    const bool outside = direct->several && direct_lock();
    void *block = arena__take_locked(bytes, clean);
    if (outside) direct_unlock();
    return block;
}

void *direct_block(size_t bytes)
{
    bool clean;
    return arena__take(bytes, &clean);
}

void *direct_new(size_t bytes)
{
    bool clean;
    void *block = arena__take(bytes, &clean);
    return clean ? block : memset(block, 0, bytes);
}

void direct_free(void *block, size_t bytes)
{
    unsigned which;
    if (!block) return;
    size_t whole = arena__size_class(bytes, &which);
    if (whole >= LARGE && madvise(block, whole, MADV_REMOVE) != 0) memset(block, 0, whole);
    const bool outside = direct->several && direct_lock();
    *(void **)block = direct->spare[which];
    direct->spare[which] = block;
    direct->used -= whole;
    if (outside) direct_unlock();
}

void *direct_reallocate(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    unsigned was, is;
    bool clean;
    (void)user;
    if (new_bytes == 0) {
        direct_free(block, old_bytes);
        return NULL;
    }
    if (block && arena__size_class(old_bytes, &was) == arena__size_class(new_bytes, &is)) return block;
    void *fresh = arena__take(new_bytes, &clean);
    if (block) {
        memcpy(fresh, block, old_bytes < new_bytes ? old_bytes : new_bytes);
        direct_free(block, old_bytes);
    }
    return fresh;
}
