/* arena.c - memory shared by all tasks of a run, at one address. On one core only the task that has the turn accesses it.
 * With several cores, tasks that run ahead of their turns access it as well, so a task holds a lock while it is in a call.
 * Block sizes are powers of two divided into four classes each, multiples of 16; free blocks are in a list per size. */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* of Linux 6.1 */
#endif

/* Far from programs, libraries, heaps, stacks and the shadow memory of sanitizers. */
#define ARENA_PLACE ((void *)(uintptr_t)0x200000000000)
#define ARENA_MAGIC UINT64_C(0x73696d6b6974206d)
#define PAGE ((uintptr_t)4096)
#define LINE ((uintptr_t)64)
#define LEAST ((size_t)64 << 20)
#define LARGE ((size_t)4 << 20) /* [B]: pages of larger blocks are returned to the system */
#define HUGE_PAGE ((size_t)2 << 20)

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
    messages = place;
    return true;
}

/* Avoids the number of a closed standard stream. */
int messages_memory_file(const char *name)
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

bool messages_arena_make(size_t *bytes, int *file)
{
    struct rlimit limit;
    /* Leaves half of the limit to the program. */
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur / 2 < *bytes)
        *bytes = (size_t)(limit.rlim_cur / 2) / PAGE * PAGE;
    *file = messages_memory_file("simkit messages");
    if (*bytes < LEAST) errno = ENOMEM;
    if (*file < 0 || *bytes < LEAST || !arena__enlarge(*file, *bytes) || !arena__map(*file, *bytes)) return false;
    messages->memory.magic = ARENA_MAGIC;
    messages->memory.bytes = *bytes;
    messages->memory.fresh = (char *)messages + (sizeof *messages + 63) / 64 * 64;
    messages->memory.huge_from = (char *)messages + 8 * HUGE_PAGE;
    return true;
}

bool messages_arena_map(int file)
{
    if (!arena__map(file, sizeof *messages)) return false;
    size_t bytes = messages->memory.bytes;
    bool ours = messages->memory.magic == ARENA_MAGIC;
    munmap(messages, sizeof *messages);
    return ours && arena__map(file, bytes);
}

bool messages_arena_exists(void)
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
    messages_arena *a = messages;
    while (a->memory.fresh > a->memory.huge_from) {
        char *from = a->memory.huge_from;
        size_t bytes = (size_t)(from - (char *)a) / 16 / HUGE_PAGE * HUGE_PAGE;
        if (bytes < HUGE_PAGE) bytes = HUGE_PAGE;
        a->memory.huge_from = (char *)a + a->memory.bytes;
        if (bytes > (size_t)(a->memory.huge_from - from)) return;
        for (size_t at = 0; at < bytes; at += HUGE_PAGE)
            *(volatile char *)(from + at) = 0; /* one page of each must exist */
        if (madvise(from, bytes, MADV_COLLAPSE) == 0) a->memory.huge_from = from + bytes;
    }
}

/* The lock has the values free, held, and held while others sleep until it is free. */
enum { FREE, HELD, CONTENDED };

static bool locked MESSAGES_COMMON; /* by this process */

__attribute__((noinline)) static bool arena__lock_take(void) /* most runs are on one core */
{
    uint32_t *lock = &messages->memory.lock, before = FREE;
    if (!__atomic_compare_exchange_n(lock, &before, HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        while (__atomic_exchange_n(lock, CONTENDED, __ATOMIC_ACQUIRE) != FREE)
            syscall(SYS_futex, lock, FUTEX_WAIT, CONTENDED, NULL, NULL, 0);
    locked = true;
    messages->memory.locker = messages_self ? messages_self->number + 1 : 0;
    return true;
}

bool messages_lock(void)
{
    return messages->cores > 1 && !locked && arena__lock_take();
}

void messages_unlock(void)
{
    if (!locked) return;
    locked = false;
    messages->memory.locker = 0;
    if (__atomic_exchange_n(&messages->memory.lock, FREE, __ATOMIC_RELEASE) == CONTENDED)
        syscall(SYS_futex, &messages->memory.lock, FUTEX_WAKE, 1, NULL, NULL, 0);
}

bool messages_lock_try(void)
{
    uint32_t before = FREE;
    if (messages->cores < 2 || locked) return true;
    locked =
        __atomic_compare_exchange_n(&messages->memory.lock, &before, HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    return locked;
}

void messages_lock_break(void)
{
    enum { PATIENCE = 200 }; /* times 1 ms */
    const struct timespec step = { 0, 1000000 };
    for (int i = 0; i < PATIENCE && !messages_lock_try(); ++i) messages_nanosleep(&step, NULL);
    locked = true;
}

void messages_lock_free(const messages_task *t)
{
    if (messages->memory.locker != t->number + 1) return;
    locked = true;
    messages_unlock();
}

static void *arena__take_locked(size_t bytes, bool *clean)
{
    unsigned which;
    size_t whole = arena__size_class(bytes, &which);
    void **block = messages->memory.spare[which];
    *clean = !block || whole >= LARGE;
    if (block) {
        messages->memory.spare[which] = *block;
        __builtin_prefetch(*block); /* the next one: where there are thousands of ranks, it is in no cache */
    } else {
        /* whole pages, which can go back to the system; whole lines of the caches */
        const uintptr_t unit = whole >= LARGE ? PAGE : whole % LINE == 0 ? LINE : 1;
        messages->memory.fresh = (char *)(((uintptr_t)messages->memory.fresh + unit - 1) / unit * unit);
        if (whole > (size_t)((char *)messages + messages->memory.bytes - messages->memory.fresh))
            messages_end(1, "no memory: messages in transit need more than %zu MB of shared memory, %s",
                         messages->memory.bytes >> 20,
                         messages->memory.bytes < MESSAGES_ADDRESS_SPACE
                             ? "half of the limit on address space; 'ulimit -v unlimited' removes the limit"
                             : "the maximum");
        block = (void **)(void *)messages->memory.fresh;
        messages->memory.fresh += whole;
        if (messages->memory.fresh > messages->memory.huge_from) arena__huge_pages_ask();
    }
    messages->memory.used += whole;
    if (messages->memory.used > messages->memory.peak) messages->memory.peak = messages->memory.used;
    if (whole >= LARGE) *block = NULL;
    return block;
}

/* A program may also call outside of calls that take a turn, such as those on groups. */
static void *arena__take(size_t bytes, bool *clean)
{
    const bool outside = messages->cores > 1 && messages_lock();
    void *block = arena__take_locked(bytes, clean);
    if (outside) messages_unlock();
    return block;
}

void *messages_new(size_t bytes)
{
    bool clean;
    void *block = arena__take(bytes, &clean);
    return clean ? block : memset(block, 0, bytes);
}

void messages_free(void *block, size_t bytes)
{
    unsigned which;
    if (!block) return;
    size_t whole = arena__size_class(bytes, &which);
    if (whole >= LARGE && madvise(block, whole, MADV_REMOVE) != 0) memset(block, 0, whole);
    const bool outside = messages->cores > 1 && messages_lock();
    *(void **)block = messages->memory.spare[which];
    messages->memory.spare[which] = block;
    messages->memory.used -= whole;
    if (outside) messages_unlock();
}

void *messages_reallocate(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    unsigned was, is;
    bool clean;
    (void)user;
    if (new_bytes == 0) {
        messages_free(block, old_bytes);
        return NULL;
    }
    if (block && arena__size_class(old_bytes, &was) == arena__size_class(new_bytes, &is)) return block;
    void *fresh = arena__take(new_bytes, &clean);
    if (block) {
        memcpy(fresh, block, old_bytes < new_bytes ? old_bytes : new_bytes);
        messages_free(block, old_bytes);
    }
    return fresh;
}

messages_chunk *messages_chunk_new(size_t bytes)
{
    bool clean;
    messages_chunk *chunk = arena__take(sizeof *chunk + bytes, &clean);
    chunk->bytes = bytes;
    chunk->references = 1;
    chunk->absent = false;
    return chunk;
}

/* Equal ones, one after another, are the same. */
messages_chunk *messages_chunk_absent(size_t bytes)
{
    messages_chunk *chunk = messages->memory.absent;
    if (!chunk || chunk->bytes != bytes) {
        messages_chunk_drop(chunk);
        messages->memory.absent = chunk = messages_chunk_new(0);
        chunk->bytes = bytes;
        chunk->absent = true;
    }
    ++chunk->references;
    return chunk;
}

void messages_chunk_drop(messages_chunk *chunk)
{
    if (chunk && --chunk->references == 0) messages_free(chunk, sizeof *chunk + (chunk->absent ? 0 : chunk->bytes));
}
