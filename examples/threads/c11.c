/* c11.c - threads.h of C11. The C library implements it by calls inside of itself, so it is here once more. */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <threads.h>

static int c11__result(int error)
{
    switch (error) {
    case 0: return thrd_success;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    case EBUSY: return thrd_busy;
    default: return thrd_error;
    }
}

typedef struct c11_start {
    thrd_start_t body;
    void *argument;
} c11_start;

static void *c11__body(void *user)
{
    const c11_start start = *(c11_start *)user;
    direct_reallocate(NULL, user, sizeof start, 0);
    return (void *)(intptr_t)start.body(start.argument);
}

THREADS_PUBLIC int thrd_create(thrd_t *thread, thrd_start_t body, void *argument)
{
    threads_thread *t = threads_begin("thrd_create");
    if (!t) return thrd_error;
    c11_start *start = direct_new(sizeof *start);
    start->body = body;
    start->argument = argument;
    const int error = threads_make(t, thread, NULL, c11__body, start, (const void *)(uintptr_t)body);
    threads_leave(t);
    return error == EAGAIN ? thrd_nomem : c11__result(error);
}

THREADS_PUBLIC int thrd_join(thrd_t thread, int *result)
{
    void *value = NULL;
    const int error = pthread_join(thread, &value);
    if (result) *result = (int)(intptr_t)value;
    return c11__result(error);
}

THREADS_PUBLIC int thrd_detach(thrd_t thread)
{
    return c11__result(pthread_detach(thread));
}

THREADS_PUBLIC void thrd_exit(int result)
{
    pthread_exit((void *)(intptr_t)result);
}

THREADS_PUBLIC void thrd_yield(void)
{
    sched_yield();
}

THREADS_PUBLIC int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    const int error = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
    return error == 0 ? 0 : error == EINTR ? -1 : -2;
}

THREADS_PUBLIC int mtx_init(mtx_t *mutex, int type)
{
    pthread_mutexattr_t attributes;
    if (type & ~(mtx_timed | mtx_recursive)) return thrd_error;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
    return c11__result(pthread_mutex_init((pthread_mutex_t *)mutex, &attributes));
}

static int c11__lock(mtx_t *mutex, const struct timespec *time, const char *call, const void *site)
{
    threads_thread *t = threads_begin(call);
    if (!t) return thrd_success;
    const int error = time && !threads_time_valid(time)
                          ? EINVAL
                          : threads_mutex_lock(t, (pthread_mutex_t *)mutex,
                                               time ? threads_deadline(CLOCK_REALTIME, time) : (double)INFINITY, site);
    threads_leave(t);
    return c11__result(error);
}

THREADS_PUBLIC int mtx_lock(mtx_t *mutex)
{
    return c11__lock(mutex, NULL, "mtx_lock", THREADS_CALLER);
}

THREADS_PUBLIC int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict time)
{
    return c11__lock(mutex, time, "mtx_timedlock", THREADS_CALLER);
}

THREADS_PUBLIC int mtx_trylock(mtx_t *mutex)
{
    return c11__result(pthread_mutex_trylock((pthread_mutex_t *)mutex));
}

THREADS_PUBLIC int mtx_unlock(mtx_t *mutex)
{
    return c11__result(pthread_mutex_unlock((pthread_mutex_t *)mutex));
}

THREADS_PUBLIC void mtx_destroy(mtx_t *mutex)
{
    pthread_mutex_destroy((pthread_mutex_t *)mutex);
}

THREADS_PUBLIC int cnd_init(cnd_t *condition)
{
    return c11__result(pthread_cond_init((pthread_cond_t *)condition, NULL));
}

THREADS_PUBLIC int cnd_signal(cnd_t *condition)
{
    return c11__result(pthread_cond_signal((pthread_cond_t *)condition));
}

THREADS_PUBLIC int cnd_broadcast(cnd_t *condition)
{
    return c11__result(pthread_cond_broadcast((pthread_cond_t *)condition));
}

THREADS_PUBLIC int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    return c11__result(pthread_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex));
}

THREADS_PUBLIC int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict time)
{
    return c11__result(pthread_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, time));
}

THREADS_PUBLIC void cnd_destroy(cnd_t *condition)
{
    pthread_cond_destroy((pthread_cond_t *)condition);
}

THREADS_PUBLIC void call_once(once_flag *flag, void (*routine)(void))
{
    pthread_once((pthread_once_t *)flag, routine);
}
