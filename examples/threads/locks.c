/* locks.c - mutexes, conditions, barriers, read-write locks, spin locks, semaphores, once, futexes.
 *
 * Their state is in the program's own objects, whose types and initializers are those of the C library: all zero,
 * except the kind of a mutex and of a read-write lock, which are where that library has them. */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define NEVER ((double)INFINITY)

/*=============================================================================
 * MARK: - >>mutexes
 *===========================================================================*/

typedef struct locks_mutex {
    uint32_t owner; /* number of the thread + 1; 0: free */
    uint32_t count; /* of a recursive one */
    uint32_t waiters;
    uint32_t left;    /* robust: 1 its owner has ended, 2 it cannot be recovered */
    int kind;         /* where PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP has it */
    uint32_t before;  /* number of its last owner + 1 */
    const void *site; /* where it was locked */
    struct locks_mutex *next_robust;
} locks_mutex;

enum { KIND_MASK = 3, ROBUST = 16, DESTROYED = -1 };
_Static_assert(sizeof(locks_mutex) <= sizeof(pthread_mutex_t), "a mutex has room for our state");
_Static_assert(offsetof(locks_mutex, kind) == offsetof(pthread_mutex_t, __data.__kind),
               "the kind is where it is expected");

static locks_mutex *robust_locked;

/* An object for several processes works, but only among the threads of this one. */
static void locks__shared(const char *call, int shared)
{
    static bool said;
    if (shared != PTHREAD_PROCESS_SHARED || said) return;
    said = true;
    threads_say("%s() for several processes: on the virtual clock it works among the threads of one process only",
                call);
}

static locks_mutex *locks__mutex(pthread_mutex_t *mutex)
{
    return (locks_mutex *)(void *)mutex;
}

static void locks__take(threads_thread *t, locks_mutex *m, const void *site)
{
    m->owner = m->before = t->number + 1;
    m->count = 1;
    m->site = site;
    if (!(m->kind & ROBUST)) return;
    m->next_robust = robust_locked;
    robust_locked = m;
}

static void locks__robust_remove(locks_mutex *m)
{
    locks_mutex **place = &robust_locked;
    while (*place && *place != m) place = &(*place)->next_robust;
    if (*place) *place = m->next_robust;
}

void threads_robust_left(threads_thread *t)
{
    for (locks_mutex *m = robust_locked, *next; m; m = next) {
        next = m->next_robust;
        if (m->owner != t->number + 1) continue;
        locks__robust_remove(m);
        m->owner = 0;
        m->left = 1;
        if (m->waiters) threads_wake_first(threads_object_find(THREADS_MUTEX, m));
    }
}

/* Takes a lock that is free. It was perhaps left by a thread that has ended. */
static int locks__taken(threads_thread *t, locks_mutex *m, const void *site)
{
    if (m->left == 2) return ENOTRECOVERABLE;
    locks__take(t, m, site);
    return m->left ? EOWNERDEAD : 0;
}

/* True for a mutex that this thread has had before, and that nobody waits for. When threads pass it to each other,
 * they meet at every lock, in the order of virtual time; one that keeps it does not, and computes ahead by a quantum
 * at most. */
static bool locks__private(threads_thread *t, const locks_mutex *m, uint32_t owner, bool own)
{
    return m->owner == owner && (own || m->before == t->number + 1) && !m->waiters && m->kind >= 0 &&
           !(m->kind & ROBUST) && threads_private(t);
}

int threads_mutex_lock(threads_thread *t, pthread_mutex_t *mutex, double deadline, const void *site)
{
    locks_mutex *m = locks__mutex(mutex);
    const int kind = m->kind & KIND_MASK;
    if (m->kind == DESTROYED) return EINVAL;
    if (m->owner == t->number + 1) {
        if (kind == PTHREAD_MUTEX_RECURSIVE_NP) return m->count == UINT32_MAX ? EAGAIN : (++m->count, 0);
        if (kind == PTHREAD_MUTEX_ERRORCHECK_NP) return EDEADLK;
    }
    while (m->owner) {
        threads_object *o = threads_object_of(THREADS_MUTEX, m);
        if (deadline <= threads_now()) return threads_poll(), ETIMEDOUT;
        threads_object_sited(t, o, m->site);
        ++m->waiters;
        const threads_end end = threads_wait(t, o, deadline, false);
        --m->waiters;
        if (end == THREADS_TIMED_OUT) return ETIMEDOUT;
    }
    return locks__taken(t, m, site);
}

int threads_mutex_unlock(threads_thread *t, pthread_mutex_t *mutex)
{
    locks_mutex *m = locks__mutex(mutex);
    const int kind = m->kind & KIND_MASK;
    if (m->kind == DESTROYED) return EINVAL;
    if (m->owner != t->number + 1 &&
        (kind == PTHREAD_MUTEX_RECURSIVE_NP || kind == PTHREAD_MUTEX_ERRORCHECK_NP || m->kind & ROBUST))
        return EPERM;
    if (kind == PTHREAD_MUTEX_RECURSIVE_NP && --m->count > 0) return 0;
    if (m->kind & ROBUST) {
        locks__robust_remove(m);
        if (m->left == 1) m->left = 2; /* it was not made consistent */
    }
    m->owner = 0;
    if (m->left == 2)
        threads_wake_all(threads_object_find(THREADS_MUTEX, m));
    else if (m->waiters)
        threads_wake_first(threads_object_find(THREADS_MUTEX, m));
    return 0;
}

THREADS_PUBLIC int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    THREADS_THROUGH(pthread_mutex_init, (mutex, attributes));
    locks_mutex *m = locks__mutex(mutex);
    int type = PTHREAD_MUTEX_DEFAULT, robust = PTHREAD_MUTEX_STALLED, shared = PTHREAD_PROCESS_PRIVATE;
    if (attributes) {
        pthread_mutexattr_getpshared(attributes, &shared);
        pthread_mutexattr_gettype(attributes, &type);
        pthread_mutexattr_getrobust(attributes, &robust);
    }
    locks__shared("pthread_mutex_init", shared);
    memset(mutex, 0, sizeof *mutex);
    m->kind = type | (robust == PTHREAD_MUTEX_ROBUST ? ROBUST : 0);
    return 0;
}

THREADS_PUBLIC int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    THREADS_THROUGH(pthread_mutex_destroy, (mutex));
    locks_mutex *m = locks__mutex(mutex);
    if (m->owner) return EBUSY;
    m->kind = DESTROYED;
    return 0;
}

static int locks__lock(pthread_mutex_t *mutex, const struct timespec *time, clockid_t clock, const char *call,
                       const void *site)
{
    threads_thread *t = threads_enter(call);
    if (!t) return 0;
    int result;
    /* A thread of clang's OpenMP looks whether there are tasks, locks a mutex, and sleeps. If it gave up its turn there, tasks that are
     * made meanwhile would not wake it. */
    if (locks__private(t, locks__mutex(mutex), 0, threads_libomp(site))) {
        locks__take(t, locks__mutex(mutex), site);
        threads_leave(t);
        return 0;
    }
    threads_pass(t);
    if (time && !threads_time_valid(time) && locks__mutex(mutex)->owner)
        result = EINVAL;
    else
        result = threads_mutex_lock(t, mutex, time ? threads_deadline(clock, time) : NEVER, site);
    threads_leave(t);
    return result;
}

THREADS_PUBLIC int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    THREADS_THROUGH(pthread_mutex_lock, (mutex));
    return locks__lock(mutex, NULL, CLOCK_REALTIME, "pthread_mutex_lock", THREADS_CALLER);
}

THREADS_PUBLIC int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict time)
{
    THREADS_THROUGH(pthread_mutex_timedlock, (mutex, time));
    return locks__lock(mutex, time, CLOCK_REALTIME, "pthread_mutex_timedlock", THREADS_CALLER);
}

THREADS_PUBLIC int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock,
                                           const struct timespec *restrict time)
{
    THREADS_THROUGH(pthread_mutex_clocklock, (mutex, clock, time));
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    return locks__lock(mutex, time, clock, "pthread_mutex_clocklock", THREADS_CALLER);
}

THREADS_PUBLIC int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    THREADS_THROUGH(pthread_mutex_trylock, (mutex));
    locks_mutex *m = locks__mutex(mutex);
    threads_thread *t = threads_begin("pthread_mutex_trylock");
    int result = 0;
    if (!t) return 0;
    if (m->kind == DESTROYED) {
        result = EINVAL;
    } else if (!m->owner) {
        result = locks__taken(t, m, THREADS_CALLER);
    } else if (m->owner == t->number + 1 && (m->kind & KIND_MASK) == PTHREAD_MUTEX_RECURSIVE_NP) {
        ++m->count;
    } else {
        result = EBUSY;
        threads_poll();
    }
    threads_leave(t);
    return result;
}

THREADS_PUBLIC int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    THREADS_THROUGH(pthread_mutex_unlock, (mutex));
    threads_thread *t = threads_enter("pthread_mutex_unlock");
    if (!t) return 0;
    if (!locks__private(t, locks__mutex(mutex), t->number + 1, false)) threads_pass(t);
    const int result = threads_mutex_unlock(t, mutex);
    threads_leave(t);
    return result;
}

THREADS_PUBLIC int pthread_mutex_consistent(pthread_mutex_t *mutex)
{
    THREADS_THROUGH(pthread_mutex_consistent, (mutex));
    locks_mutex *m = locks__mutex(mutex);
    if (!(m->kind & ROBUST) || m->left != 1) return EINVAL;
    m->left = 0;
    return 0;
}

/*=============================================================================
 * MARK: - >>conditions
 *===========================================================================*/

/* Programs linked before glibc 2.3.2 have conditions that are smaller than a pthread_cond_t: nothing behind this is
 * written. */
typedef struct locks_condition {
    uint32_t waiters;
    int32_t clock;
} locks_condition;

static locks_condition *locks__condition(pthread_cond_t *condition)
{
    return (locks_condition *)(void *)condition;
}

THREADS_PUBLIC int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    THREADS_THROUGH(pthread_cond_init, (condition, attributes));
    clockid_t clock = CLOCK_REALTIME;
    int shared = PTHREAD_PROCESS_PRIVATE;
    if (attributes) {
        pthread_condattr_getclock(attributes, &clock);
        pthread_condattr_getpshared(attributes, &shared);
    }
    locks__shared("pthread_cond_init", shared);
    locks__condition(condition)->waiters = 0;
    locks__condition(condition)->clock = clock;
    return 0;
}

THREADS_PUBLIC int pthread_cond_destroy(pthread_cond_t *condition)
{
    THREADS_THROUGH(pthread_cond_destroy, (condition));
    (void)condition;
    return 0;
}

static int locks__condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time,
                                 clockid_t clock, const char *call, const void *site)
{
    locks_condition *c = locks__condition(condition);
    threads_thread *t = threads_begin(call);
    if (!t) return 0;
    if (time && !threads_time_valid(time)) {
        threads_leave(t);
        return EINVAL;
    }
    if (t->cancel.asked && t->cancel.state == PTHREAD_CANCEL_ENABLE) {
        threads_cancel_now(t);
        t = threads_begin(call);
    }
    int result = threads_mutex_unlock(t, mutex);
    if (result == 0) {
        threads_object *o = threads_object_of(THREADS_CONDITION, condition);
        threads_object_sited(t, o, NULL);
        ++c->waiters;
        const threads_end end = threads_wait(t, o, time ? threads_deadline(clock, time) : NEVER, true);
        --c->waiters;
        result = threads_mutex_lock(t, mutex, NEVER, site);
        if (end == THREADS_CANCELLED) {
            threads_cancel_now(t);
            return 0;
        }
        if (result == 0 && end == THREADS_TIMED_OUT) result = ETIMEDOUT;
    }
    threads_leave(t);
    return result;
}

THREADS_PUBLIC int pthread_cond_wait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex)
{
    THREADS_THROUGH(pthread_cond_wait, (condition, mutex));
    return locks__condition_wait(condition, mutex, NULL, 0, "pthread_cond_wait", THREADS_CALLER);
}

THREADS_PUBLIC int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                                          const struct timespec *restrict time)
{
    THREADS_THROUGH(pthread_cond_timedwait, (condition, mutex, time));
    return locks__condition_wait(condition, mutex, time, locks__condition(condition)->clock, "pthread_cond_timedwait",
                                 THREADS_CALLER);
}

THREADS_PUBLIC int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                                          clockid_t clock, const struct timespec *restrict time)
{
    THREADS_THROUGH(pthread_cond_clockwait, (condition, mutex, clock, time));
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    return locks__condition_wait(condition, mutex, time, clock, "pthread_cond_clockwait", THREADS_CALLER);
}

THREADS_PUBLIC int pthread_cond_signal(pthread_cond_t *condition)
{
    THREADS_THROUGH(pthread_cond_signal, (condition));
    threads_thread *t = threads_begin("pthread_cond_signal");
    if (t && locks__condition(condition)->waiters)
        threads_wake_first(threads_object_find(THREADS_CONDITION, condition));
    threads_leave(t);
    return 0;
}

THREADS_PUBLIC int pthread_cond_broadcast(pthread_cond_t *condition)
{
    THREADS_THROUGH(pthread_cond_broadcast, (condition));
    threads_thread *t = threads_begin("pthread_cond_broadcast");
    if (t && locks__condition(condition)->waiters) threads_wake_all(threads_object_find(THREADS_CONDITION, condition));
    threads_leave(t);
    return 0;
}

/*=============================================================================
 * MARK: - >>barriers
 *===========================================================================*/

typedef struct locks_barrier {
    uint32_t count, arrived;
} locks_barrier;

THREADS_PUBLIC int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                                        unsigned count)
{
    THREADS_THROUGH(pthread_barrier_init, (barrier, attributes, count));
    locks_barrier *b = (locks_barrier *)(void *)barrier;
    int shared = PTHREAD_PROCESS_PRIVATE;
    if (attributes) pthread_barrierattr_getpshared(attributes, &shared);
    locks__shared("pthread_barrier_init", shared);
    if (count == 0 || count > INT_MAX) return EINVAL;
    memset(barrier, 0, sizeof *barrier);
    b->count = count;
    return 0;
}

THREADS_PUBLIC int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    THREADS_THROUGH(pthread_barrier_destroy, (barrier));
    (void)barrier;
    return 0;
}

THREADS_PUBLIC int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    THREADS_THROUGH(pthread_barrier_wait, (barrier));
    locks_barrier *b = (locks_barrier *)(void *)barrier;
    threads_thread *t = threads_begin("pthread_barrier_wait");
    if (!t) return 0;
    const bool last = ++b->arrived == b->count;
    if (last) {
        b->arrived = 0;
        threads_wake_all(threads_object_find(THREADS_BARRIER, barrier));
    } else {
        threads_object *o = threads_object_of(THREADS_BARRIER, barrier);
        threads_object_sited(t, o, NULL);
        threads_wait(t, o, NEVER, false);
    }
    threads_leave(t);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/*=============================================================================
 * MARK: - >>read-write locks
 *===========================================================================*/

typedef struct locks_rw {
    uint32_t readers, writer; /* writer: number of the thread + 1; 0: none */
    uint32_t waiting_readers, waiting_writers;
    const void *site;
    char unused[24];
    unsigned kind; /* where PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP has it */
} locks_rw;

_Static_assert(sizeof(locks_rw) <= sizeof(pthread_rwlock_t), "a read-write lock has room for our state");
_Static_assert(offsetof(locks_rw, kind) == offsetof(pthread_rwlock_t, __data.__flags),
               "the kind is where it is expected");

static locks_rw *locks__rw(pthread_rwlock_t *lock)
{
    return (locks_rw *)(void *)lock;
}

THREADS_PUBLIC int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    THREADS_THROUGH(pthread_rwlock_init, (lock, attributes));
    int kind = PTHREAD_RWLOCK_DEFAULT_NP, shared = PTHREAD_PROCESS_PRIVATE;
    if (attributes) {
        pthread_rwlockattr_getkind_np(attributes, &kind);
        pthread_rwlockattr_getpshared(attributes, &shared);
    }
    locks__shared("pthread_rwlock_init", shared);
    memset(lock, 0, sizeof *lock);
    locks__rw(lock)->kind = (unsigned)kind;
    return 0;
}

THREADS_PUBLIC int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    THREADS_THROUGH(pthread_rwlock_destroy, (lock));
    (void)lock;
    return 0;
}

static bool locks__rw_read_free(const locks_rw *l)
{
    return !l->writer && !(l->kind == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP && l->waiting_writers);
}

static int locks__rw_lock(pthread_rwlock_t *lock, bool write, bool try, const struct timespec *time, clockid_t clock,
                          const char *call, const void *site)
{
    locks_rw *l = locks__rw(lock);
    threads_thread *t = threads_begin(call);
    int result = 0;
    if (!t) return 0;
    if (l->writer == t->number + 1) result = try ? EBUSY : EDEADLK;
    if (time && !threads_time_valid(time)) result = EINVAL;
    while (result == 0 && (write ? l->writer || l->readers : !locks__rw_read_free(l))) {
        threads_object *o = threads_object_of(write ? THREADS_WRITE : THREADS_READ, lock);
        if (try) {
            result = EBUSY;
            threads_poll();
            break;
        }
        const double deadline = time ? threads_deadline(clock, time) : NEVER;
        if (deadline <= threads_now()) threads_poll();
        uint32_t *waiting = write ? &l->waiting_writers : &l->waiting_readers;
        threads_object_sited(t, o, l->site);
        ++*waiting;
        const threads_end end = deadline <= threads_now() ? THREADS_TIMED_OUT : threads_wait(t, o, deadline, false);
        --*waiting;
        if (end != THREADS_TIMED_OUT) continue;
        t->wait.site = NULL;
        result = ETIMEDOUT;
        /* Readers that waited because of this writer go on. */
        if (write && !l->waiting_writers && locks__rw_read_free(l))
            threads_wake_all(threads_object_find(THREADS_READ, lock));
    }
    if (result == 0) {
        if (write)
            l->writer = t->number + 1;
        else
            ++l->readers;
        l->site = site;
    }
    threads_leave(t);
    return result;
}

THREADS_PUBLIC int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    THREADS_THROUGH(pthread_rwlock_rdlock, (lock));
    return locks__rw_lock(lock, false, false, NULL, 0, "pthread_rwlock_rdlock", THREADS_CALLER);
}

THREADS_PUBLIC int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    THREADS_THROUGH(pthread_rwlock_wrlock, (lock));
    return locks__rw_lock(lock, true, false, NULL, 0, "pthread_rwlock_wrlock", THREADS_CALLER);
}

THREADS_PUBLIC int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    THREADS_THROUGH(pthread_rwlock_tryrdlock, (lock));
    return locks__rw_lock(lock, false, true, NULL, 0, "pthread_rwlock_tryrdlock", THREADS_CALLER);
}

THREADS_PUBLIC int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    THREADS_THROUGH(pthread_rwlock_trywrlock, (lock));
    return locks__rw_lock(lock, true, true, NULL, 0, "pthread_rwlock_trywrlock", THREADS_CALLER);
}

THREADS_PUBLIC int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict time)
{
    THREADS_THROUGH(pthread_rwlock_timedrdlock, (lock, time));
    return locks__rw_lock(lock, false, false, time, CLOCK_REALTIME, "pthread_rwlock_timedrdlock", THREADS_CALLER);
}

THREADS_PUBLIC int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict time)
{
    THREADS_THROUGH(pthread_rwlock_timedwrlock, (lock, time));
    return locks__rw_lock(lock, true, false, time, CLOCK_REALTIME, "pthread_rwlock_timedwrlock", THREADS_CALLER);
}

THREADS_PUBLIC int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                                              const struct timespec *restrict time)
{
    THREADS_THROUGH(pthread_rwlock_clockrdlock, (lock, clock, time));
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    return locks__rw_lock(lock, false, false, time, clock, "pthread_rwlock_clockrdlock", THREADS_CALLER);
}

THREADS_PUBLIC int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                                              const struct timespec *restrict time)
{
    THREADS_THROUGH(pthread_rwlock_clockwrlock, (lock, clock, time));
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    return locks__rw_lock(lock, true, false, time, clock, "pthread_rwlock_clockwrlock", THREADS_CALLER);
}

THREADS_PUBLIC int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    THREADS_THROUGH(pthread_rwlock_unlock, (lock));
    locks_rw *l = locks__rw(lock);
    threads_thread *t = threads_begin("pthread_rwlock_unlock");
    if (!t) return 0;
    const bool wrote = l->writer;
    if (wrote)
        l->writer = 0;
    else if (l->readers)
        --l->readers;
    if (wrote && l->waiting_readers && locks__rw_read_free(l))
        threads_wake_all(threads_object_find(THREADS_READ, lock));
    else if (!l->readers && l->waiting_writers)
        threads_wake_first(threads_object_find(THREADS_WRITE, lock));
    threads_leave(t);
    return 0;
}

/*=============================================================================
 * MARK: - >>spin locks
 *===========================================================================*/

/* A waiting thread occupies a core. */

THREADS_PUBLIC int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    THREADS_THROUGH(pthread_spin_init, (lock, shared));
    (void)shared;
    *lock = 0;
    return 0;
}

THREADS_PUBLIC int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    THREADS_THROUGH(pthread_spin_destroy, (lock));
    (void)lock;
    return 0;
}

THREADS_PUBLIC int pthread_spin_lock(pthread_spinlock_t *lock)
{
    THREADS_THROUGH(pthread_spin_lock, (lock));
    threads_thread *t = threads_begin("pthread_spin_lock");
    if (!t) return 0;
    while (*lock) {
        threads_object *o = threads_object_of(THREADS_SPIN, (const void *)lock);
        threads_object_sited(t, o, NULL);
        threads_spin(t, o);
    }
    *lock = (int)t->number + 1;
    threads_leave(t);
    return 0;
}

THREADS_PUBLIC int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    THREADS_THROUGH(pthread_spin_trylock, (lock));
    threads_thread *t = threads_begin("pthread_spin_trylock");
    if (!t) return 0;
    const int result = *lock ? EBUSY : 0;
    if (result == 0)
        *lock = (int)t->number + 1;
    else
        threads_poll();
    threads_leave(t);
    return result;
}

THREADS_PUBLIC int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    THREADS_THROUGH(pthread_spin_unlock, (lock));
    threads_thread *t = threads_begin("pthread_spin_unlock");
    if (!t) return 0;
    *lock = 0;
    threads_wake_first(threads_object_find(THREADS_SPIN, (const void *)lock));
    threads_leave(t);
    return 0;
}

/*=============================================================================
 * MARK: - >>semaphores
 *===========================================================================*/

typedef struct locks_semaphore {
    uint32_t value, waiters;
} locks_semaphore;

typedef struct locks_named {
    struct locks_named *next;
    char name[NAME_MAX + 1];
    bool unlinked;
    unsigned opened;
    sem_t semaphore;
} locks_named;

static locks_named *named;

static locks_semaphore *locks__semaphore(sem_t *semaphore)
{
    return (locks_semaphore *)(void *)semaphore;
}

static int locks__failed(int error)
{
    if (error == 0) return 0;
    errno = error;
    return -1;
}

THREADS_PUBLIC int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    THREADS_THROUGH(sem_init, (semaphore, shared, value));
    if (shared) locks__shared("sem_init", PTHREAD_PROCESS_SHARED);
    if (value > SEM_VALUE_MAX) return locks__failed(EINVAL);
    memset(semaphore, 0, sizeof *semaphore);
    locks__semaphore(semaphore)->value = value;
    return 0;
}

THREADS_PUBLIC int sem_destroy(sem_t *semaphore)
{
    THREADS_THROUGH(sem_destroy, (semaphore));
    (void)semaphore;
    return 0;
}

/* Named semaphores are those of this process. */
THREADS_PUBLIC sem_t *sem_open(const char *name, int flags, ...)
{
    if (*name == '/') ++name;
    if (!*name || strlen(name) > NAME_MAX - 4 || strchr(name, '/')) {
        errno = strlen(name) > NAME_MAX - 4 ? ENAMETOOLONG : EINVAL;
        return SEM_FAILED;
    }
    locks_named *n = named;
    while (n && (n->unlinked || strcmp(n->name, name) != 0)) n = n->next;
    if (n && (flags & O_CREAT) && (flags & O_EXCL)) {
        errno = EEXIST;
        return SEM_FAILED;
    }
    if (!n) {
        va_list arguments;
        if (!(flags & O_CREAT)) {
            errno = ENOENT;
            return SEM_FAILED;
        }
        va_start(arguments, flags);
        (void)va_arg(arguments, unsigned);
        const unsigned value = va_arg(arguments, unsigned);
        va_end(arguments);
        if (value > SEM_VALUE_MAX) {
            errno = EINVAL;
            return SEM_FAILED;
        }
        if (threads_rank) locks__shared("sem_open", PTHREAD_PROCESS_SHARED); /* where a program has one process, none is missing */
        n = direct_new(sizeof *n);
        strcpy(n->name, name);
        locks__semaphore(&n->semaphore)->value = value;
        n->next = named;
        named = n;
    }
    ++n->opened;
    return &n->semaphore;
}

THREADS_PUBLIC int sem_close(sem_t *semaphore)
{
    THREADS_THROUGH(sem_close, (semaphore));
    for (locks_named *n = named; n; n = n->next)
        if (&n->semaphore == semaphore && n->opened) return --n->opened, 0;
    return locks__failed(EINVAL);
}

THREADS_PUBLIC int sem_unlink(const char *name)
{
    THREADS_THROUGH(sem_unlink, (name));
    if (*name == '/') ++name;
    for (locks_named *n = named; n; n = n->next)
        if (!n->unlinked && strcmp(n->name, name) == 0) {
            n->unlinked = true;
            return 0;
        }
    return locks__failed(ENOENT);
}

static int locks__semaphore_wait(sem_t *semaphore, const struct timespec *time, clockid_t clock, const char *call)
{
    locks_semaphore *s = locks__semaphore(semaphore);
    threads_thread *t = threads_begin(call);
    int error = 0;
    if (!t) return 0;
    if (t->cancel.asked && t->cancel.state == PTHREAD_CANCEL_ENABLE) {
        threads_cancel_now(t);
        t = threads_begin(call);
    }
    if (time && !threads_time_valid(time)) error = EINVAL;
    while (error == 0 && !s->value) {
        threads_object *o = threads_object_of(THREADS_SEMAPHORE, semaphore);
        const double deadline = time ? threads_deadline(clock, time) : NEVER;
        if (deadline <= threads_now()) {
            error = ETIMEDOUT;
            threads_poll();
            break;
        }
        threads_object_sited(t, o, NULL);
        ++s->waiters;
        t->wait.interruptible = true;
        const threads_end end = threads_wait(t, o, deadline, true);
        --s->waiters;
        if (end == THREADS_CANCELLED) {
            threads_cancel_now(t);
            return 0;
        }
        if (end == THREADS_TIMED_OUT) error = ETIMEDOUT;
        if (end == THREADS_SIGNALLED) error = EINTR;
    }
    if (error == 0) --s->value;
    threads_leave(t);
    return locks__failed(error);
}

THREADS_PUBLIC int sem_wait(sem_t *semaphore)
{
    THREADS_THROUGH(sem_wait, (semaphore));
    return locks__semaphore_wait(semaphore, NULL, 0, "sem_wait");
}

THREADS_PUBLIC int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict time)
{
    THREADS_THROUGH(sem_timedwait, (semaphore, time));
    return locks__semaphore_wait(semaphore, time, CLOCK_REALTIME, "sem_timedwait");
}

THREADS_PUBLIC int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict time)
{
    THREADS_THROUGH(sem_clockwait, (semaphore, clock, time));
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return locks__failed(EINVAL);
    return locks__semaphore_wait(semaphore, time, clock, "sem_clockwait");
}

THREADS_PUBLIC int sem_trywait(sem_t *semaphore)
{
    THREADS_THROUGH(sem_trywait, (semaphore));
    locks_semaphore *s = locks__semaphore(semaphore);
    threads_thread *t = threads_begin("sem_trywait");
    if (!t) return 0;
    const int error = s->value ? 0 : EAGAIN;
    if (error == 0)
        --s->value;
    else
        threads_poll();
    threads_leave(t);
    return locks__failed(error);
}

THREADS_PUBLIC int sem_post(sem_t *semaphore)
{
    THREADS_THROUGH(sem_post, (semaphore));
    locks_semaphore *s = locks__semaphore(semaphore);
    threads_thread *t = threads_begin("sem_post");
    if (!t) return 0;
    const int error = s->value == SEM_VALUE_MAX ? EOVERFLOW : 0;
    if (error == 0) {
        ++s->value;
        if (s->waiters) threads_wake_first(threads_object_find(THREADS_SEMAPHORE, semaphore));
    }
    threads_leave(t);
    return locks__failed(error);
}

THREADS_PUBLIC int sem_getvalue(sem_t *restrict semaphore, int *restrict value)
{
    THREADS_THROUGH(sem_getvalue, (semaphore, value));
    threads_thread *t = threads_begin("sem_getvalue");
    if (t && !locks__semaphore(semaphore)->value) threads_poll();
    *value = (int)locks__semaphore(semaphore)->value;
    threads_leave(t);
    return 0;
}

/*=============================================================================
 * MARK: - >>once
 *===========================================================================*/

enum { ONCE_NEW = 0, ONCE_RUNS = 1, ONCE_DONE = 2 };

typedef struct locks_once {
    pthread_once_t *once;
    int after; /* its state when the routine has ended: new again after an exception or a cancellation */
} locks_once;

static void locks__once_end(locks_once *o)
{
    threads_thread *t = threads_begin("pthread_once");
    *o->once = o->after;
    threads_wake_all(threads_object_find(THREADS_ONCE, o->once));
    threads_leave(t);
}

THREADS_PUBLIC int pthread_once(pthread_once_t *once, void (*routine)(void))
{
    THREADS_THROUGH(pthread_once, (once, routine));
    if (__atomic_load_n(once, __ATOMIC_ACQUIRE) == ONCE_DONE) return 0;
    threads_thread *t = threads_begin("pthread_once");
    while (t && *once == ONCE_RUNS) {
        threads_object *o = threads_object_of(THREADS_ONCE, once);
        threads_object_sited(t, o, NULL);
        threads_wait(t, o, NEVER, false);
    }
    if (*once == ONCE_DONE) {
        threads_leave(t);
        return 0;
    }
    *once = ONCE_RUNS;
    threads_leave(t);
    THREADS_CLEANUP(locks__once_end) locks_once end = { once, ONCE_NEW };
    routine();
    end.after = ONCE_DONE;
    return 0;
}

/*=============================================================================
 * MARK: - >>futexes
 *===========================================================================*/

/* libstdc++ and oneTBB make such calls. */

static long locks__futex_wait(uint32_t *word, uint32_t value, const struct timespec *time, int operation, uint32_t bits)
{
    threads_thread *t = threads_begin("futex");
    int error = 0;
    if (!t) return 0;
    double deadline = NEVER;
    if (time && (operation & FUTEX_CMD_MASK) == FUTEX_WAIT)
        deadline = threads_now() + (double)time->tv_sec + 1e-9 * (double)time->tv_nsec;
    else if (time)
        deadline = threads_deadline(operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, time);
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) {
        error = EAGAIN;
        threads_poll();
    } else if (deadline <= threads_now()) {
        error = ETIMEDOUT;
        threads_poll();
    } else {
        threads_object *o = threads_object_of(THREADS_FUTEX, word);
        threads_object_sited(t, o, NULL);
        t->wait.bits = bits;
        t->wait.interruptible = true;
        const threads_end end = threads_wait(t, o, deadline, false);
        error = end == THREADS_TIMED_OUT ? ETIMEDOUT : end == THREADS_SIGNALLED ? EINTR : 0;
    }
    threads_leave(t);
    return locks__failed(error);
}

static long locks__futex_wake(uint32_t *word, uint32_t most, uint32_t bits)
{
    threads_thread *t = threads_begin("futex");
    long woken = 0;
    if (!t) return 0;
    threads_object *o = threads_object_find(THREADS_FUTEX, word);
    for (threads_thread *w = o ? o->first : NULL, *next; w && (uint32_t)woken < most; w = next) {
        next = w->wait.next;
        if (!(w->wait.bits & bits)) continue;
        threads_wake(w, THREADS_WOKEN);
        ++woken;
    }
    threads_leave(t);
    return woken;
}

long threads_futex(const long *a)
{
    uint32_t *word = (uint32_t *)(uintptr_t)a[0];
    const int operation = (int)a[1];
    const struct timespec *time = (const struct timespec *)(uintptr_t)a[3];
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT: return locks__futex_wait(word, (uint32_t)a[2], time, operation, UINT32_MAX);
    case FUTEX_WAIT_BITSET: return locks__futex_wait(word, (uint32_t)a[2], time, operation, (uint32_t)a[5]);
    case FUTEX_WAKE: return locks__futex_wake(word, (uint32_t)a[2], UINT32_MAX);
    case FUTEX_WAKE_BITSET: return locks__futex_wake(word, (uint32_t)a[2], (uint32_t)a[5]);
    default:
        threads_die("syscall(SYS_futex) with operation %d: expected a wait or a wake-up, others are not supported",
                    operation);
    }
}
