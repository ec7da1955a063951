/* threads.c - calls about threads: creating, joining, cancelling, names, and locks of stdio. */
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    threads_binding binding;
    int error = threads_binding_take(attributes, &binding);
    if (error == 0) {
        error = threads_make(t, thread, attributes, body, argument, (const void *)(uintptr_t)body);
        threads_binding_give(attributes, &binding, error == 0 ? threads_find(*thread) : NULL);
    }
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

int __sched_yield(void); /* for old and low-level programs */

THREADS_PUBLIC int __sched_yield(void)
{
    return sched_yield();
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
    } else if (other &&
               other->cancel.shielded) { /* whose locks and lists would stay as they are in the middle of the call */
        error = 0;
        other->cancel.asked = other->cancel.deferred = true;
        if (other->cancel.state == PTHREAD_CANCEL_ENABLE) threads_engine->cancelled(other->task);
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
