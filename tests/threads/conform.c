/* conform.c - every call of pthread.h and semaphore.h that the virtual clock knows, and of the C library what tells the time
 * or the number of processors. It prints the same with real threads and on the virtual clock, with any number of cores. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *error_name(int error)
{
    switch (error) {
    case 0: return "0";
    case EAGAIN: return "EAGAIN";
    case EBUSY: return "EBUSY";
    case EDEADLK: return "EDEADLK";
    case EEXIST: return "EEXIST";
    case EINTR: return "EINTR";
    case EINVAL: return "EINVAL";
    case ENOENT: return "ENOENT";
    case ENOTRECOVERABLE: return "ENOTRECOVERABLE";
    case EOVERFLOW: return "EOVERFLOW";
    case EOWNERDEAD: return "EOWNERDEAD";
    case EPERM: return "EPERM";
    case ESRCH: return "ESRCH";
    case ETIMEDOUT: return "ETIMEDOUT";
    default: return strerror(error);
    }
}

static void show(const char *what, int error)
{
    printf("%s: %s\n", what, error_name(error));
}

/* Of the calls that return -1. */
static void show_errno(const char *what, int result)
{
    show(what, result == -1 ? errno : result);
}

static void number(const char *what, long value)
{
    printf("%s: %ld\n", what, value);
}

static struct timespec in(clockid_t clock, long milliseconds)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_sec += milliseconds / 1000;
    t.tv_nsec += milliseconds % 1000 * 1000000;
    if (t.tv_nsec >= 1000000000) ++t.tv_sec, t.tv_nsec -= 1000000000;
    return t;
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pause_for(long milliseconds)
{
    const struct timespec t = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
    nanosleep(&t, NULL);
}

static pthread_t start(void *(*body)(void *), void *argument)
{
    pthread_t t;
    const int error = pthread_create(&t, NULL, body, argument);
    if (error) {
        show("pthread_create", error);
        exit(1);
    }
    return t;
}

static void *end_of(pthread_t t)
{
    void *result = NULL;
    const int error = pthread_join(t, &result);
    if (error) show("pthread_join", error);
    return result;
}

/* -- threads --------------------------------------------------------------------------------------------------------- */

static __thread int mine = 7;

static void *give_back(void *argument)
{
    mine += (int)(long)argument;
    errno = (int)(long)argument;
    pause_for(2);
    return errno == (int)(long)argument ? (void *)(long)mine : (void *)-1L;
}

static void *leave_early(void *argument)
{
    pthread_exit(argument);
}

static void *join_itself(void *argument)
{
    (void)argument;
    return (void *)(long)pthread_join(pthread_self(), NULL);
}

static void *sleep_long(void *argument)
{
    pause_for((long)argument);
    return NULL;
}

static void *say_name(void *argument)
{
    char name[16] = "";
    (void)argument;
    show("pthread_setname_np", pthread_setname_np(pthread_self(), "worker"));
    show("pthread_getname_np", pthread_getname_np(pthread_self(), name, sizeof name));
    printf("name: %s\n", name);
    show("a name that is too long", pthread_setname_np(pthread_self(), "a name of 16 chars") ? EINVAL : 0);
    return NULL;
}

static void threads(void)
{
    pthread_t t[8];
    pthread_attr_t attributes;
    struct timespec soon;
    int state = -1;
    size_t size = 0;
    for (long i = 0; i < 8; ++i) t[i] = start(give_back, (void *)i);
    for (int i = 0; i < 8; ++i) number("result", (long)end_of(t[i]));
    number("thread-local of main", mine);
    number("pthread_exit", (long)end_of(start(leave_early, (void *)42L)));
    number("equal", pthread_equal(pthread_self(), pthread_self()) != 0);
    show("join itself", (int)(long)end_of(start(join_itself, NULL)));
    pthread_attr_init(&attributes);
    show("setdetachstate", pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED));
    pthread_attr_getdetachstate(&attributes, &state);
    number("detached", state == PTHREAD_CREATE_DETACHED);
    show("setstacksize", pthread_attr_setstacksize(&attributes, 1 << 20));
    pthread_attr_getstacksize(&attributes, &size);
    number("stacksize", (long)size);
    show("a stack that is too small", pthread_attr_setstacksize(&attributes, 16));
    show("create detached", pthread_create(&t[1], &attributes, sleep_long, (void *)30L));
    show("join detached", pthread_join(t[1], NULL));
    show("detach detached", pthread_detach(t[1]));
    pthread_attr_destroy(&attributes);
    t[1] = start(sleep_long, (void *)60L);
    show("pthread_tryjoin_np", pthread_tryjoin_np(t[1], NULL));
    soon = in(CLOCK_REALTIME, 5);
    show("pthread_timedjoin_np", pthread_timedjoin_np(t[1], NULL, &soon));
    soon = in(CLOCK_MONOTONIC, 5);
    show("pthread_clockjoin_np", pthread_clockjoin_np(t[1], NULL, CLOCK_MONOTONIC, &soon));
    soon = in(CLOCK_MONOTONIC, 5000);
    show("pthread_clockjoin_np", pthread_clockjoin_np(t[1], NULL, CLOCK_MONOTONIC, &soon));
    t[1] = start(sleep_long, (void *)1L);
    pause_for(30);
    show("tryjoin an ended one", pthread_tryjoin_np(t[1], NULL));
    t[1] = start(sleep_long, (void *)1L);
    show("pthread_detach", pthread_detach(t[1]));
    end_of(start(say_name, NULL));
}

static void *small_stack(void *argument)
{
    volatile char room[4096];
    memset((char *)(unsigned long)room, 1, sizeof room);
    pause_for(1);
    return argument;
}

static void stacks(void)
{
    pthread_attr_t attributes;
    pthread_t t;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN);
    show("create with the minimum", pthread_create(&t, &attributes, small_stack, (void *)3L));
    number("its result", (long)end_of(t));
    void *stack = NULL;
    if (posix_memalign(&stack, 4096, 1 << 17) != 0) return;
    show("setstack", pthread_attr_setstack(&attributes, stack, 1 << 17));
    show("create with a stack", pthread_create(&t, &attributes, small_stack, (void *)4L));
    number("its result", (long)end_of(t));
    pthread_attr_destroy(&attributes);
    free(stack);
}

/* -- mutexes --------------------------------------------------------------------------------------------------------- */

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, normal = PTHREAD_MUTEX_INITIALIZER, recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
                       checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static long counter;

static void *count_up(void *argument)
{
    for (int i = 0; i < 200; ++i) {
        pthread_mutex_lock(argument);
        const long before = counter;
        if (i % 50 == 0) pause_for(1);
        counter = before + 1;
        pthread_mutex_unlock(argument);
    }
    return NULL;
}

static void *try_lock(void *argument)
{
    const int error = pthread_mutex_trylock(argument);
    if (error == 0) pthread_mutex_unlock(argument);
    return (void *)(long)error;
}

static void *timed_lock(void *argument)
{
    const struct timespec soon = in(CLOCK_REALTIME, 5);
    return (void *)(long)pthread_mutex_timedlock(argument, &soon);
}

static void *clock_lock(void *argument)
{
    const struct timespec soon = in(CLOCK_MONOTONIC, 5);
    return (void *)(long)pthread_mutex_clocklock(argument, CLOCK_MONOTONIC, &soon);
}

static void *wrong_time(void *argument)
{
    const struct timespec wrong = { 0, 1000000000 };
    return (void *)(long)pthread_mutex_timedlock(argument, &wrong);
}

static void *unlock(void *argument)
{
    return (void *)(long)pthread_mutex_unlock(argument);
}

static void mutex(const char *name, pthread_mutex_t *m, int type)
{
    pthread_t t[4];
    printf("-- %s\n", name);
    counter = 0;
    for (int i = 0; i < 4; ++i) t[i] = start(count_up, m);
    for (int i = 0; i < 4; ++i) end_of(t[i]);
    number("counted", counter);
    show("lock", pthread_mutex_lock(m));
    show("trylock by another", (int)(long)end_of(start(try_lock, m)));
    show("timedlock by another", (int)(long)end_of(start(timed_lock, m)));
    show("clocklock by another", (int)(long)end_of(start(clock_lock, m)));
    show("timedlock until a wrong time", (int)(long)end_of(start(wrong_time, m)));
    show("trylock again", pthread_mutex_trylock(m));
    if (type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK) {
        show("lock again", pthread_mutex_lock(m));
        show("unlock by another", (int)(long)end_of(start(unlock, m)));
    }
    show("destroy while locked", pthread_mutex_destroy(m));
    show("unlock", pthread_mutex_unlock(m));
    if (type == PTHREAD_MUTEX_RECURSIVE) {
        show("trylock by another", (int)(long)end_of(start(try_lock, m)));
        show("unlock", pthread_mutex_unlock(m));
        show("unlock", pthread_mutex_unlock(m));
        show("trylock by another", (int)(long)end_of(start(try_lock, m)));
    }
    if (type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK) show("unlock a free one", pthread_mutex_unlock(m));
    show("trylock", pthread_mutex_trylock(m));
    show("unlock", pthread_mutex_unlock(m));
    show("destroy", pthread_mutex_destroy(m));
    show("lock a destroyed one", pthread_mutex_lock(m));
    show("unlock a destroyed one", pthread_mutex_unlock(m));
}

static void *die_with(void *argument)
{
    pthread_mutex_lock(argument);
    return NULL;
}

static void robust(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t m;
    printf("-- robust\n");
    pthread_mutexattr_init(&attributes);
    show("setrobust", pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
    pthread_mutex_init(&m, &attributes);
    end_of(start(die_with, &m));
    show("lock after its owner's end", pthread_mutex_lock(&m));
    show("consistent", pthread_mutex_consistent(&m));
    show("unlock", pthread_mutex_unlock(&m));
    show("lock", pthread_mutex_lock(&m));
    show("consistent without need", pthread_mutex_consistent(&m));
    show("unlock", pthread_mutex_unlock(&m));
    end_of(start(die_with, &m));
    show("lock after its owner's end", pthread_mutex_lock(&m));
    show("unlock without consistent", pthread_mutex_unlock(&m));
    show("lock", pthread_mutex_lock(&m));
    pthread_mutex_destroy(&m);
    pthread_mutexattr_destroy(&attributes);
}

static void mutexes(void)
{
    static const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP };
    static const char *const names[] = { "normal", "recursive", "errorcheck", "adaptive" };
    pthread_mutex_t *const fixed[] = { &plain, &recursive, &checked, &adaptive };
    for (int i = 0; i < 4; ++i) {
        pthread_mutexattr_t attributes;
        pthread_mutex_t m;
        int type = -1;
        mutex(names[i], fixed[i], types[i]);
        pthread_mutexattr_init(&attributes);
        show("settype", pthread_mutexattr_settype(&attributes, types[i]));
        pthread_mutexattr_gettype(&attributes, &type);
        number("gettype", type);
        show("init", pthread_mutex_init(&m, &attributes));
        mutex(names[i], &m, types[i]);
        pthread_mutexattr_destroy(&attributes);
    }
    robust();
}

/* -- conditions ------------------------------------------------------------------------------------------------------ */

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int turn, waiting;

static void *take_turns(void *argument)
{
    const int me = (int)(long)argument;
    for (int i = 0; i < 20; ++i) {
        pthread_mutex_lock(&normal);
        while (turn % 3 != me) pthread_cond_wait(&condition, &normal);
        ++turn;
        pthread_cond_broadcast(&condition);
        pthread_mutex_unlock(&normal);
    }
    return NULL;
}

static void *wait_once(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&normal);
    ++waiting;
    const int error = pthread_cond_wait(&condition, &normal);
    --waiting;
    pthread_mutex_unlock(&normal);
    return (void *)(long)error;
}

static void wait_until(int count)
{
    for (;;) {
        pthread_mutex_lock(&normal);
        const int seen = waiting;
        pthread_mutex_unlock(&normal);
        if (seen == count) return;
        pause_for(1);
    }
}

static void conditions(void)
{
    pthread_t t[4];
    pthread_cond_t c;
    pthread_condattr_t attributes;
    clockid_t clock = -1;
    struct timespec soon;
    const struct timespec wrong = { 0, -1 };
    for (long i = 0; i < 3; ++i) t[i] = start(take_turns, (void *)i);
    for (int i = 0; i < 3; ++i) end_of(t[i]);
    number("turns", turn);
    pthread_mutex_lock(&normal);
    soon = in(CLOCK_REALTIME, 5);
    show("timedwait", pthread_cond_timedwait(&condition, &normal, &soon));
    number("the time has come", now(CLOCK_REALTIME) >= (double)soon.tv_sec + 1e-9 * (double)soon.tv_nsec - 1e-6);
    show("timedwait until a wrong time", pthread_cond_timedwait(&condition, &normal, &wrong));
    soon = in(CLOCK_MONOTONIC, 5);
    show("clockwait", pthread_cond_clockwait(&condition, &normal, CLOCK_MONOTONIC, &soon));
    pthread_mutex_unlock(&normal);
    pthread_condattr_init(&attributes);
    show("setclock", pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
    pthread_condattr_getclock(&attributes, &clock);
    number("getclock", clock == CLOCK_MONOTONIC);
    show("init", pthread_cond_init(&c, &attributes));
    pthread_mutex_lock(&normal);
    soon = in(CLOCK_MONOTONIC, 5);
    show("timedwait, monotonic", pthread_cond_timedwait(&c, &normal, &soon));
    pthread_mutex_unlock(&normal);
    show("destroy", pthread_cond_destroy(&c));
    pthread_condattr_destroy(&attributes);
    checked = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    show("wait with a mutex that is not locked", pthread_cond_wait(&condition, &checked));
    for (int i = 0; i < 4; ++i) t[i] = start(wait_once, NULL);
    wait_until(4);
    for (int left = 3; left >= 2; --left) {
        show("signal", pthread_cond_signal(&condition));
        wait_until(left);
        number("waiting", left);
    }
    show("broadcast", pthread_cond_broadcast(&condition));
    wait_until(0);
    for (int i = 0; i < 4; ++i) show("waited", (int)(long)end_of(t[i]));
    show("signal to nobody", pthread_cond_signal(&condition));
}

/* -- barriers, once, keys -------------------------------------------------------------------------------------------- */

static pthread_barrier_t barrier;
static int phase[4], serial;

static void *meet(void *argument)
{
    const long me = (long)argument;
    long wrong = 0;
    for (int round = 1; round <= 10; ++round) {
        phase[me] = round;
        const int result = pthread_barrier_wait(&barrier);
        if (result == PTHREAD_BARRIER_SERIAL_THREAD) __atomic_add_fetch(&serial, 1, __ATOMIC_SEQ_CST);
        for (int i = 0; i < 4; ++i) wrong += phase[i] < round;
        pthread_barrier_wait(&barrier);
    }
    return (void *)wrong;
}

static pthread_once_t once = PTHREAD_ONCE_INIT, once_more = PTHREAD_ONCE_INIT;
static int initialised;

static void initialise(void)
{
    pause_for(5);
    ++initialised;
}

static void *call_once_only(void *argument)
{
    (void)argument;
    const int error = pthread_once(&once, initialise);
    return (void *)(long)(error ? -error : initialised);
}

static void never_ends(void)
{
    for (;;) {
        if (initialised == 100) return;
        initialised = 99;
        pause_for(10000);
    }
}

static void *call_cancelled(void *argument)
{
    (void)argument;
    pthread_once(&once_more, never_ends);
    return NULL;
}

static void once_after(void)
{
    initialised = 101;
}

static pthread_key_t key, other_key;
static int destroyed;

static void destroy(void *value)
{
    destroyed += (int)(long)value;
}

static void destroy_again(void *value)
{
    pthread_mutex_lock(&normal);
    ++destroyed;
    pthread_mutex_unlock(&normal);
    if ((long)value < 2) pthread_setspecific(other_key, (void *)((long)value + 1));
}

static void *with_keys(void *argument)
{
    if (pthread_getspecific(key)) return (void *)-1L;
    pthread_setspecific(key, argument);
    pthread_setspecific(other_key, (void *)1L);
    pause_for(3);
    return pthread_getspecific(key);
}

static void meetings(void)
{
    pthread_t t[4];
    show("init of nobody", pthread_barrier_init(&barrier, NULL, 0));
    show("init", pthread_barrier_init(&barrier, NULL, 4));
    for (long i = 0; i < 4; ++i) t[i] = start(meet, (void *)i);
    for (int i = 0; i < 4; ++i) number("too early", (long)end_of(t[i]));
    number("serial threads", serial);
    show("destroy", pthread_barrier_destroy(&barrier));
    for (int i = 0; i < 4; ++i) t[i] = start(call_once_only, NULL);
    for (int i = 0; i < 4; ++i) number("initialised", (long)end_of(t[i]));
    t[0] = start(call_cancelled, NULL);
    while (__atomic_load_n(&initialised, __ATOMIC_SEQ_CST) != 99) pause_for(1);
    pthread_cancel(t[0]);
    number("cancelled in once", end_of(t[0]) == PTHREAD_CANCELED);
    show("once again", pthread_once(&once_more, once_after));
    number("initialised", initialised);
    show("key", pthread_key_create(&key, destroy));
    show("key", pthread_key_create(&other_key, destroy_again));
    for (long i = 0; i < 4; ++i) t[i] = start(with_keys, (void *)(i + 1));
    for (int i = 0; i < 4; ++i) number("value", (long)end_of(t[i]));
    number("destroyed", destroyed);
    show("delete", pthread_key_delete(key));
    show("delete", pthread_key_delete(other_key));
}

/* -- read-write locks, spin locks ------------------------------------------------------------------------------------ */

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static int inside, most;

static void *read_it(void *argument)
{
    (void)argument;
    pthread_rwlock_rdlock(&rw);
    const int here = __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    pause_for(30);
    __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    pthread_rwlock_unlock(&rw);
    if (here > most) most = here;
    return NULL;
}

static void *write_it(void *argument)
{
    (void)argument;
    for (int i = 0; i < 50; ++i) {
        pthread_rwlock_wrlock(&rw);
        const long before = counter;
        if (i % 25 == 0) pause_for(1);
        counter = before + 1;
        pthread_rwlock_unlock(&rw);
    }
    return NULL;
}

static void *try_rw(void *argument)
{
    struct timespec soon = in(CLOCK_REALTIME, 5);
    (void)argument;
    int error = pthread_rwlock_tryrdlock(&rw);
    printf("tryrdlock %s", error_name(error));
    if (error == 0) pthread_rwlock_unlock(&rw);
    error = pthread_rwlock_trywrlock(&rw);
    printf(", trywrlock %s", error_name(error));
    if (error == 0) pthread_rwlock_unlock(&rw);
    error = pthread_rwlock_timedrdlock(&rw, &soon);
    printf(", timedrdlock %s", error_name(error));
    if (error == 0) pthread_rwlock_unlock(&rw);
    soon = in(CLOCK_REALTIME, 5);
    error = pthread_rwlock_timedwrlock(&rw, &soon);
    printf(", timedwrlock %s", error_name(error));
    if (error == 0) pthread_rwlock_unlock(&rw);
    soon = in(CLOCK_MONOTONIC, 5);
    error = pthread_rwlock_clockrdlock(&rw, CLOCK_MONOTONIC, &soon);
    printf(", clockrdlock %s", error_name(error));
    if (error == 0) pthread_rwlock_unlock(&rw);
    soon = in(CLOCK_MONOTONIC, 5);
    error = pthread_rwlock_clockwrlock(&rw, CLOCK_MONOTONIC, &soon);
    printf(", clockwrlock %s\n", error_name(error));
    if (error == 0) pthread_rwlock_unlock(&rw);
    return NULL;
}

static void *spin_up(void *argument)
{
    (void)argument;
    for (int i = 0; i < 1000; ++i) {
        pthread_spin_lock(&spin);
        ++counter;
        pthread_spin_unlock(&spin);
    }
    return NULL;
}

static void *try_spin(void *argument)
{
    (void)argument;
    const int error = pthread_spin_trylock(&spin);
    if (error == 0) pthread_spin_unlock(&spin);
    return (void *)(long)error;
}

static void locks(void)
{
    pthread_t t[4];
    pthread_rwlockattr_t attributes;
    int kind = -1;
    pthread_rwlockattr_init(&attributes);
    show("setkind", pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP));
    pthread_rwlockattr_getkind_np(&attributes, &kind);
    number("kind", kind);
    for (int i = 0; i < 4; ++i) t[i] = start(read_it, NULL);
    for (int i = 0; i < 4; ++i) end_of(t[i]);
    number("most readers at a time", most);
    counter = 0;
    for (int i = 0; i < 4; ++i) t[i] = start(write_it, NULL);
    for (int i = 0; i < 4; ++i) end_of(t[i]);
    number("written", counter);
    show("rdlock", pthread_rwlock_rdlock(&rw));
    show("rdlock again", pthread_rwlock_rdlock(&rw));
    end_of(start(try_rw, NULL));
    show("unlock", pthread_rwlock_unlock(&rw));
    show("unlock", pthread_rwlock_unlock(&rw));
    show("wrlock", pthread_rwlock_wrlock(&rw));
    show("wrlock again", pthread_rwlock_wrlock(&rw));
    show("rdlock of the writer", pthread_rwlock_rdlock(&rw));
    end_of(start(try_rw, NULL));
    show("unlock", pthread_rwlock_unlock(&rw));
    end_of(start(try_rw, NULL));
    show("destroy", pthread_rwlock_destroy(&rw));
    show("init", pthread_rwlock_init(&rw, &attributes));
    t[0] = start(read_it, NULL);
    pause_for(5);
    t[1] = start(write_it, NULL);
    pause_for(5);
    number("a reader, and a writer waits", pthread_rwlock_trywrlock(&rw) == EBUSY);
    end_of(t[0]);
    end_of(t[1]);
    pthread_rwlockattr_destroy(&attributes);
    show("spin init", pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
    counter = 0;
    for (int i = 0; i < 4; ++i) t[i] = start(spin_up, NULL);
    for (int i = 0; i < 4; ++i) end_of(t[i]);
    number("spun", counter);
    show("spin lock", pthread_spin_lock(&spin));
    show("trylock by another", (int)(long)end_of(start(try_spin, NULL)));
    show("spin unlock", pthread_spin_unlock(&spin));
    show("trylock by another", (int)(long)end_of(start(try_spin, NULL)));
    show("spin destroy", pthread_spin_destroy(&spin));
}

/* -- semaphores ------------------------------------------------------------------------------------------------------ */

static sem_t full, empty;
static int queue[4], put, got;

static void *produce(void *argument)
{
    (void)argument;
    for (int i = 1; i <= 40; ++i) {
        sem_wait(&empty);
        queue[put++ % 4] = i;
        sem_post(&full);
    }
    return NULL;
}

static void *consume(void *argument)
{
    long sum = 0;
    (void)argument;
    for (int i = 1; i <= 40; ++i) {
        sem_wait(&full);
        sum += queue[got++ % 4];
        sem_post(&empty);
    }
    return (void *)sum;
}

static void semaphores(void)
{
    struct timespec soon;
    const struct timespec wrong = { 0, 1000000000 };
    int value = -1;
    char name[64];
    show_errno("init beyond the maximum", sem_init(&full, 0, SEM_VALUE_MAX + 1u));
    show_errno("init", sem_init(&full, 0, 0));
    show_errno("init", sem_init(&empty, 0, 4));
    pthread_t t = start(produce, NULL), u = start(consume, NULL);
    end_of(t);
    number("consumed", (long)end_of(u));
    show_errno("trywait", sem_trywait(&full));
    soon = in(CLOCK_REALTIME, 5);
    show_errno("timedwait", sem_timedwait(&full, &soon));
    show_errno("timedwait until a wrong time", sem_timedwait(&full, &wrong));
    soon = in(CLOCK_MONOTONIC, 5);
    show_errno("clockwait", sem_clockwait(&full, CLOCK_MONOTONIC, &soon));
    show_errno("post", sem_post(&full));
    sem_getvalue(&full, &value);
    number("value", value);
    show_errno("trywait", sem_trywait(&full));
    show_errno("destroy", sem_destroy(&full));
    sem_init(&full, 0, SEM_VALUE_MAX);
    show_errno("post beyond the maximum", sem_post(&full));
    snprintf(name, sizeof name, "/simkit-conform-%d", (int)getpid());
    show("open none", sem_open(name, 0) == SEM_FAILED ? errno : 0);
    sem_t *s = sem_open(name, O_CREAT | O_EXCL, 0600, 2u), *again = sem_open(name, 0);
    number("opened", s != SEM_FAILED && s == again);
    show("open exclusively", sem_open(name, O_CREAT | O_EXCL, 0600, 2u) == SEM_FAILED ? errno : 0);
    show_errno("wait", sem_wait(s));
    sem_getvalue(again, &value);
    number("value", value);
    show_errno("unlink", sem_unlink(name));
    show_errno("unlink again", sem_unlink(name));
    show_errno("close", sem_close(s));
    show_errno("close", sem_close(again));
}

/* -- cancelling ------------------------------------------------------------------------------------------------------ */

static int cleaned, disabled_done;

static void clean(void *argument)
{
    cleaned += (int)(long)argument;
}

static void clean_unlock(void *argument)
{
    ++cleaned;
    pthread_mutex_unlock(argument);
}

static void *cancel_in_condition(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&normal);
    pthread_cleanup_push(clean_unlock, &normal);
    ++waiting;
    for (;;) pthread_cond_wait(&condition, &normal);
    pthread_cleanup_pop(1);
    return NULL;
}

static void *cancel_in_sleep(void *argument)
{
    (void)argument;
    pthread_cleanup_push(clean, (void *)10L);
    sleep(100);
    pthread_cleanup_pop(1);
    return NULL;
}

static void *cancel_in_semaphore(void *argument)
{
    pthread_cleanup_push(clean, (void *)100L);
    sem_wait(argument);
    pthread_cleanup_pop(1);
    return NULL;
}

static void *cancel_in_join(void *argument)
{
    pthread_cleanup_push(clean, (void *)1000L);
    pthread_join(*(pthread_t *)argument, NULL);
    pthread_cleanup_pop(1);
    return NULL;
}

static void *cancel_by_test(void *argument)
{
    int old = -1;
    (void)argument;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    while (!__atomic_load_n(&disabled_done, __ATOMIC_SEQ_CST)) pause_for(1);
    pause_for(5);
    __atomic_store_n(&disabled_done, 2, __ATOMIC_SEQ_CST);
    pthread_setcancelstate(old, NULL);
    pthread_testcancel();
    return NULL;
}

static void *cancel_at_once(void *argument)
{
    int old = -1;
    (void)argument;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    if (old != PTHREAD_CANCEL_DEFERRED) return NULL;
    for (volatile long i = 0; i >= 0; ++i)
        if (i % 1000 == 0) sched_yield();
    return NULL;
}

static void *cancel_itself(void *argument)
{
    (void)argument;
    pthread_cancel(pthread_self());
    pthread_testcancel();
    return NULL;
}

static void cancelled(const char *what, pthread_t t)
{
    pause_for(10);
    show("pthread_cancel", pthread_cancel(t));
    number(what, end_of(t) == PTHREAD_CANCELED);
    number("cleaned up", cleaned);
}

static void cancelling(void)
{
    sem_t none;
    sem_init(&none, 0, 0);
    cancelled("cancelled in a condition", start(cancel_in_condition, NULL));
    show("its mutex is free", pthread_mutex_trylock(&normal));
    pthread_mutex_unlock(&normal);
    cancelled("cancelled in sleep", start(cancel_in_sleep, NULL));
    cancelled("cancelled in a semaphore", start(cancel_in_semaphore, &none));
    pthread_t sleeper = start(sleep_long, (void *)80L);
    cancelled("cancelled in a join", start(cancel_in_join, &sleeper));
    end_of(sleeper);
    pthread_t t = start(cancel_by_test, NULL);
    pause_for(5);
    show("pthread_cancel", pthread_cancel(t));
    __atomic_store_n(&disabled_done, 1, __ATOMIC_SEQ_CST);
    number("cancelled by testcancel", end_of(t) == PTHREAD_CANCELED);
    number("only then", disabled_done == 2);
    cancelled("cancelled at once", start(cancel_at_once, NULL));
    number("cancelled by itself", end_of(start(cancel_itself, NULL)) == PTHREAD_CANCELED);
}

/* -- clocks, signals, processors, processes -------------------------------------------------------------------------- */

static volatile sig_atomic_t handled;

static void *wait_for_signal(void *argument)
{
    int got = 0;
    sigset_t set;
    (void)argument;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    const int error = sigwait(&set, &got);
    return (void *)(long)(error == 0 && got == SIGUSR2);
}

static void handle(int signal)
{
    handled += signal == SIGUSR1;
}

static void *sleep_interrupted(void *argument)
{
    const struct timespec long_time = { 100, 0 };
    struct timespec left = { 0, 0 };
    (void)argument;
    const int result = nanosleep(&long_time, &left);
    return (void *)(long)(result == -1 && errno == EINTR && left.tv_sec > 90);
}

static void *wait_interrupted(void *argument)
{
    return (void *)(long)(sem_wait(argument) == -1 && errno == EINTR);
}

static void clocks(void)
{
    struct timespec t = { 0, 20000000 };
    struct timeval tv = { 0, 20000 };
    double before = now(CLOCK_MONOTONIC);
    show("nanosleep", nanosleep(&t, NULL));
    number("20 ms", now(CLOCK_MONOTONIC) - before >= 0.02);
    before = now(CLOCK_REALTIME);
    usleep(20000);
    number("20 ms", now(CLOCK_REALTIME) - before >= 0.02);
    before = now(CLOCK_MONOTONIC);
    number("poll", poll(NULL, 0, 20));
    number("select", select(0, NULL, NULL, NULL, &tv));
    number("40 ms", now(CLOCK_MONOTONIC) - before >= 0.04);
    t = in(CLOCK_MONOTONIC, 20);
    show("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
    number("its time has come", now(CLOCK_MONOTONIC) >= (double)t.tv_sec + 1e-9 * (double)t.tv_nsec - 1e-6);
    t.tv_nsec = -1;
    show_errno("a wrong time", nanosleep(&t, NULL));
    gettimeofday(&tv, NULL);
    const double difference = now(CLOCK_REALTIME) - ((double)tv.tv_sec + 1e-6 * (double)tv.tv_usec);
    number("gettimeofday", difference >= 0 && difference < 1);
    const double seconds = now(CLOCK_REALTIME) - (double)time(NULL);
    number("time", seconds >= 0 && seconds < 2);
    timespec_get(&t, TIME_UTC);
    number("timespec_get", now(CLOCK_REALTIME) - (double)t.tv_sec < 2);
    const double cpu = now(CLOCK_THREAD_CPUTIME_ID), all = now(CLOCK_PROCESS_CPUTIME_ID);
    number("CPU times", cpu > 0 && all >= cpu && (double)clock() / CLOCKS_PER_SEC >= 0);
}

static void others(void)
{
    struct sigaction action;
    cpu_set_t set;
    sem_t none;
    sem_init(&none, 0, 0);
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    sigaction(SIGUSR1, &action, NULL);
    pthread_t t = start(sleep_interrupted, NULL);
    pause_for(10);
    show("pthread_kill 0", pthread_kill(t, 0));
    show("pthread_kill", pthread_kill(t, SIGUSR1));
    number("a sleep was interrupted", (long)end_of(t));
    t = start(wait_interrupted, &none);
    pause_for(10);
    show("pthread_kill", pthread_kill(t, SIGUSR1));
    number("a wait was interrupted", (long)end_of(t));
    show("pthread_kill itself", pthread_kill(pthread_self(), SIGUSR1));
    number("handled", handled);
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    show("pthread_sigmask", pthread_sigmask(SIG_BLOCK, &mask, NULL));
    t = start(wait_for_signal, NULL);
    pause_for(10);
    show("pthread_kill", pthread_kill(t, SIGUSR2));
    number("sigwait", (long)end_of(t));
    t = start(wait_for_signal, NULL);
    pause_for(10);
    show_errno("kill", kill(getpid(), SIGUSR2));
    number("sigwait", (long)end_of(t));
    show("pthread_kill itself", pthread_kill(pthread_self(), SIGUSR2));
    const struct timespec moment = { 0, 5000000 };
    number("sigtimedwait", sigtimedwait(&mask, NULL, &moment) == SIGUSR2);
    show_errno("sigtimedwait", sigtimedwait(&mask, NULL, &moment));
    t = start(wait_for_signal, NULL);
    pause_for(5);
    show("pthread_cancel", pthread_cancel(t));
    number("cancelled in sigwait", end_of(t) == PTHREAD_CANCELED);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    number("cores", cores == get_nprocs() && cores <= sysconf(_SC_NPROCESSORS_CONF) && cores <= get_nprocs_conf());
    show_errno("sched_getaffinity", sched_getaffinity(0, sizeof set, &set));
    number("as many in the set", CPU_COUNT(&set) == cores);
    number("sched_getcpu", sched_getcpu() >= 0);
    CPU_ZERO(&set);
    show_errno("an empty set", sched_setaffinity(0, sizeof set, &set));
    CPU_SET(0, &set);
    show("pthread_setaffinity_np", pthread_setaffinity_np(pthread_self(), sizeof set, &set));
    CPU_ZERO(&set);
    show("pthread_getaffinity_np", pthread_getaffinity_np(pthread_self(), sizeof set, &set));
    number("one in the set", CPU_COUNT(&set));
    show_errno("sched_yield", sched_yield());
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        end_of(start(sleep_long, (void *)2L));
        pthread_mutex_lock(&normal);
        pthread_mutex_unlock(&normal);
        _exit(9);
    }
    int status = -1;
    waitpid(child, &status, 0);
    number("a thread of a child", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void at_exit(void)
{
    pthread_mutex_lock(&normal);
    printf("at the exit\n");
    pthread_mutex_unlock(&normal);
}

static void *last_one(void *argument)
{
    pause_for(5);
    printf("the last thread ends\n");
    return argument;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    atexit(at_exit);
    static void (*const parts[])(void) = { threads, stacks, mutexes, conditions, meetings, locks, semaphores, cancelling, clocks, others };
    static const char *const names[] = { "threads", "stacks", "mutexes", "conditions", "meetings", "locks", "semaphores",
                                         "cancelling", "clocks", "others" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        printf("== %s\n", names[i]);
        parts[i]();
    }
    pthread_detach(start(last_one, NULL));
    pthread_exit(NULL);
}
