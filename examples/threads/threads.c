/* threads.c - calls about threads: creating, joining, cancelling, names, processors, and locks of stdio. */
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define NEVER ((double)INFINITY)
#define LIBOMP_SPINS                                                                                                   \
    200e-6 /* [s]: clang's OpenMP pauses up to 512 times before it yields, for 23 us on a Xeon, and looks in between */

/*=============================================================================
 * MARK: - >>creating and joining
 *===========================================================================*/

THREADS_PUBLIC int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                                  void *(*body)(void *), void *restrict argument)
{
    THREADS_THROUGH(pthread_create, (thread, attributes, body, argument));
    threads_thread *t = threads_begin("pthread_create");
    if (!t) return EAGAIN;
    const int error = threads_make(t, thread, attributes, body, argument, (const void *)(uintptr_t)body);
    threads_leave(t);
    return error;
}

static int threads__join(pthread_t thread, void **result, double deadline, bool try, const char *call)
{
    threads_thread *t = threads_begin(call);
    if (!t) { /* a library joins its threads when the program has ended */
        if (result) *result = NULL;
        return 0;
    }
    if (t->cancel.asked && t->cancel.state == PTHREAD_CANCEL_ENABLE) {
        threads_cancel_now(t);
        t = threads_begin(call);
    }
    threads_thread *other = threads_find(thread);
    int error = 0;
    if (!other || other->joined)
        error = ESRCH;
    else if (!other->detached && (other == t || t->joiner == other))
        error = EDEADLK;
    else if (other->detached || other->joiner)
        error = EINVAL;
    else if (!other->ended && try) {
        error = EBUSY;
        threads_poll();
    } else if (!other->ended) {
        threads_object *o = threads_object_of(THREADS_JOIN, NULL);
        if (deadline <= threads_now()) {
            error = ETIMEDOUT;
            threads_poll();
        } else {
            other->joiner = t;
            threads_object_sited(t, o, NULL);
            const threads_end end = threads_wait(t, o, deadline, true);
            other->joiner = NULL;
            if (end == THREADS_CANCELLED) {
                threads_cancel_now(t);
                return 0;
            }
            if (end == THREADS_TIMED_OUT) error = ETIMEDOUT;
        }
    }
    if (error == 0) {
        other->joined = true;
        threads_real.join(thread, result); /* it has ended, or does in a moment */
        threads_drop(other);
    }
    threads_leave(t);
    return error;
}

THREADS_PUBLIC int pthread_join(pthread_t thread, void **result)
{
    THREADS_THROUGH(pthread_join, (thread, result));
    return threads__join(thread, result, NEVER, false, "pthread_join");
}

THREADS_PUBLIC int pthread_tryjoin_np(pthread_t thread, void **result)
{
    THREADS_THROUGH(pthread_tryjoin_np, (thread, result));
    return threads__join(thread, result, NEVER, true, "pthread_tryjoin_np");
}

THREADS_PUBLIC int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *time)
{
    THREADS_THROUGH(pthread_clockjoin_np, (thread, result, clock, time));
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    return threads__join(thread, result, time ? threads_deadline(clock, time) : NEVER, false, "pthread_clockjoin_np");
}

THREADS_PUBLIC int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *time)
{
    THREADS_THROUGH(pthread_timedjoin_np, (thread, result, time));
    return threads__join(thread, result, time ? threads_deadline(CLOCK_REALTIME, time) : NEVER, false,
                         "pthread_timedjoin_np");
}

THREADS_PUBLIC int pthread_detach(pthread_t thread)
{
    THREADS_THROUGH(pthread_detach, (thread));
    threads_thread *t = threads_begin("pthread_detach");
    if (!t) return 0;
    threads_thread *other = threads_find(thread);
    const int error = !other || other->joined ? ESRCH : other->detached ? EINVAL : threads_real.detach(thread);
    if (error == 0) {
        other->detached = true;
        if (other->ended) threads_drop(other);
    }
    threads_leave(t);
    return error;
}

THREADS_PUBLIC void pthread_exit(void *result)
{
    threads_leave(threads_begin("pthread_exit"));
    threads_real.exit(result);
    abort();
}

THREADS_PUBLIC int sched_yield(void)
{
    THREADS_THROUGH(sched_yield, ());
    threads_thread *t = threads_enter("sched_yield");
    if (t && threads_libomp(THREADS_CALLER)) {
        if (t->calls == t->looking.yielded) threads_look_again(t, LIBOMP_SPINS);
        t->looking.yielded = t->calls; /* it also yields after each task */
    } else if (t) {
        threads_pass(t);
        threads_poll();
    }
    threads_leave(t);
    return 0;
}

/*=============================================================================
 * MARK: - >>cancelling
 *===========================================================================*/

THREADS_PUBLIC int pthread_cancel(pthread_t thread)
{
    THREADS_THROUGH(pthread_cancel, (thread));
    threads_thread *t = threads_begin("pthread_cancel");
    if (!t) return 0;
    threads_thread *other = threads_find(thread);
    int error = ESRCH;
    if (other && other->ended) {
        error = 0;
    } else if (other) {
        error = threads_real.cancel(thread);
        other->cancel.asked = true;
        if (other->wait.object && (other->wait.cancellable || other->cancel.type == PTHREAD_CANCEL_ASYNCHRONOUS) &&
            other->cancel.state == PTHREAD_CANCEL_ENABLE)
            threads_wake(other, THREADS_CANCELLED);
    }
    threads_leave(t);
    return error;
}

THREADS_PUBLIC int pthread_setcancelstate(int state, int *old)
{
    THREADS_THROUGH(pthread_setcancelstate, (state, old));
    threads_thread *t = threads_enter("pthread_setcancelstate");
    const int error = threads_real.setcancelstate(state, old);
    if (t && error == 0) t->cancel.state = state;
    threads_leave(t);
    return error;
}

/* The C library never learns of asynchronous cancellation: a thread is cancelled where it leaves a call, or has
 * computed for a quantum. */
THREADS_PUBLIC int pthread_setcanceltype(int type, int *old)
{
    THREADS_THROUGH(pthread_setcanceltype, (type, old));
    threads_thread *t = threads_enter("pthread_setcanceltype");
    if (!t) return threads_real.setcanceltype(type, old);
    const int error = type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS ? EINVAL : 0;
    if (old) *old = t->cancel.type;
    if (error == 0) t->cancel.type = type;
    threads_leave(t);
    return error;
}

THREADS_PUBLIC void pthread_testcancel(void)
{
    threads_leave(threads_begin("pthread_testcancel"));
    threads_real.testcancel();
}

/*=============================================================================
 * MARK: - >>names
 *===========================================================================*/

THREADS_PUBLIC int pthread_setname_np(pthread_t thread, const char *name)
{
    THREADS_THROUGH(pthread_setname_np, (thread, name));
    threads_thread *t = threads_enter("pthread_setname_np");
    const int error = threads_real.setname(thread, name);
    threads_thread *other = t ? threads_find(thread) : NULL;
    if (other && error == 0) snprintf(other->name, sizeof other->name, "%s", name);
    threads_leave(t);
    return error;
}

/*=============================================================================
 * MARK: - >>processors
 *===========================================================================*/

THREADS_PUBLIC long sysconf(int name)
{
    THREADS_THROUGH(sysconf, (name));
    if (!threads_real.sysconf) threads_above.prepare();
    return name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF ? (long)threads_set.cores
                                                                        : threads_real.sysconf(name);
}

THREADS_PUBLIC int get_nprocs(void)
{
    THREADS_THROUGH(get_nprocs, ());
    return (int)threads_set.cores;
}

THREADS_PUBLIC int get_nprocs_conf(void)
{
    THREADS_THROUGH(get_nprocs_conf, ());
    return (int)threads_set.cores;
}

THREADS_PUBLIC int sched_getcpu(void)
{
    THREADS_THROUGH(sched_getcpu, ());
    const threads_thread *t = threads_self();
    return t ? (int)(t->number % threads_set.cores) : 0;
}

/* Cores that a thread asked for. The virtual clock shares all cores among all threads. */
static int threads__affinity_get(const threads_thread *t, size_t bytes, cpu_set_t *set)
{
    if (bytes % sizeof(unsigned long) != 0 || 8 * bytes < threads_set.cores) return EINVAL;
    memset(set, 0, bytes);
    for (unsigned i = 0; i < threads_set.cores; ++i)
        if (!t || !t->affinity.chosen || CPU_ISSET(i, &t->affinity.cores)) CPU_SET_S(i, bytes, set);
    return 0;
}

/* Programs linked before glibc 2.3.4 do not say how large their set is: it stands where its size should. No set is
 * so large. */
static void threads__affinity_old(size_t *bytes, const cpu_set_t **set)
{
    if (*bytes <= (size_t)1 << 20) return;
    *set = (const cpu_set_t *)*bytes;
    *bytes = sizeof(cpu_set_t);
}

static int threads__affinity_set(threads_thread *t, size_t bytes, const cpu_set_t *set)
{
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    for (unsigned i = 0; i < threads_set.cores; ++i)
        if (CPU_ISSET_S(i, bytes, set)) CPU_SET(i, &wanted);
    if (CPU_COUNT(&wanted) == 0) return EINVAL;
    if (!t) return 0;
    t->affinity.chosen = true;
    t->affinity.cores = wanted;
    return 0;
}

static threads_thread *threads__process(pid_t process)
{
    if (process == 0) return threads_self();
    for (threads_thread *t = threads_all; t; t = t->next_of_all)
        if (t->task->thread == process) return t;
    return NULL;
}

THREADS_PUBLIC int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set)
{
    THREADS_THROUGH(sched_getaffinity, (process, bytes, set));
    const cpu_set_t *place = set;
    threads__affinity_old(&bytes, &place);
    const int error = threads__affinity_get(threads__process(process), bytes, (cpu_set_t *)(uintptr_t)place);
    if (error) errno = error;
    return error ? -1 : 0;
}

THREADS_PUBLIC int sched_setaffinity(pid_t process, size_t bytes, const cpu_set_t *set)
{
    THREADS_THROUGH(sched_setaffinity, (process, bytes, set));
    threads__affinity_old(&bytes, &set);
    const int error = threads__affinity_set(threads__process(process), bytes, set);
    if (error) errno = error;
    return error ? -1 : 0;
}

/* The OpenMP of clang learns from the kernel how many processors there are. The kernel answers with the bytes that
 * it wrote, and with EFAULT where there is no set. */
static long threads__affinity(int error, long result)
{
    if (error) errno = error;
    return error ? -1 : result;
}

long threads_affinity_get(const long *arguments)
{
    const size_t bytes = (size_t)arguments[1], used = (threads_set.cores + 63) / 64 * sizeof(uint64_t);
    cpu_set_t *set = (cpu_set_t *)(uintptr_t)arguments[2];
    return threads__affinity(set ? threads__affinity_get(threads__process((pid_t)arguments[0]), bytes, set) : EFAULT,
                             (long)(bytes < used ? bytes : used));
}

long threads_affinity_set(const long *arguments)
{
    const cpu_set_t *set = (const cpu_set_t *)(uintptr_t)arguments[2];
    threads_thread *t = threads__process((pid_t)arguments[0]);
    return threads__affinity(set ? threads__affinity_set(t, (size_t)arguments[1], set) : EFAULT, 0);
}

THREADS_PUBLIC int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t *set)
{
    THREADS_THROUGH(pthread_getaffinity_np, (thread, bytes, set));
    const threads_thread *t = threads_find(thread);
    const cpu_set_t *place = set;
    threads__affinity_old(&bytes, &place);
    return t ? threads__affinity_get(t, bytes, (cpu_set_t *)(uintptr_t)place) : ESRCH;
}

THREADS_PUBLIC int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *set)
{
    THREADS_THROUGH(pthread_setaffinity_np, (thread, bytes, set));
    threads_thread *t = threads_find(thread);
    threads__affinity_old(&bytes, &set);
    return t ? threads__affinity_set(t, bytes, set) : ESRCH;
}

/*=============================================================================
 * MARK: - >>locks of stdio
 *===========================================================================*/

/* A thread that holds one is not preempted. */

static void (*threads__stdio(const char *name))(FILE *)
{
    void (*function)(FILE *);
    *(void **)(void *)&function = dlsym(RTLD_NEXT, name);
    return function;
}

THREADS_PUBLIC void flockfile(FILE *file)
{
    static void (*real)(FILE *);
    if (!real) real = threads__stdio("flockfile");
    if (threads_self()) ++threads_self()->held;
    real(file);
}

THREADS_PUBLIC void funlockfile(FILE *file)
{
    static void (*real)(FILE *);
    if (!real) real = threads__stdio("funlockfile");
    real(file);
    if (threads_self()) --threads_self()->held;
}
