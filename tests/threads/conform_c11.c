/* conform_c11.c - every call of threads.h of C11. It prints the same with real threads and on the virtual clock. */
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t plain, timed, both;
static cnd_t ready;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t key;
static int counter, initialised, destroyed, posted;
static thread_local int mine = 3;

static const char *name_of(int result)
{
    return result == thrd_success ? "success" : result == thrd_busy ? "busy" : result == thrd_error ? "error"
         : result == thrd_nomem ? "nomem" : result == thrd_timedout ? "timedout" : "?";
}

static void show(const char *what, int result)
{
    printf("%s: %s\n", what, name_of(result));
}

static void pause_for(long milliseconds)
{
    const struct timespec t = { 0, milliseconds * 1000000 };
    thrd_sleep(&t, NULL);
}

static struct timespec in(long milliseconds)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    t.tv_nsec += milliseconds * 1000000;
    if (t.tv_nsec >= 1000000000) ++t.tv_sec, t.tv_nsec -= 1000000000;
    return t;
}

static void initialise(void)
{
    pause_for(2);
    ++initialised;
}

static void destroy(void *value)
{
    destroyed += *(int *)value;
}

static int count(void *argument)
{
    static int one = 1;
    mine += *(int *)argument;
    call_once(&flag, initialise);
    tss_set(key, &one);
    for (int i = 0; i < 100; ++i) {
        mtx_lock(&plain);
        const int before = counter;
        if (i % 50 == 0) pause_for(1);
        counter = before + 1;
        mtx_unlock(&plain);
        thrd_yield();
    }
    if (tss_get(key) != &one) return -1;
    if (mine % 2) thrd_exit(mine);
    return mine;
}

static int try_plain(void *argument)
{
    (void)argument;
    const int result = mtx_trylock(&plain);
    if (result == thrd_success) mtx_unlock(&plain);
    return result;
}

static int try_timed(void *argument)
{
    const struct timespec soon = in(5);
    (void)argument;
    const int result = mtx_timedlock(&timed, &soon);
    if (result == thrd_success) mtx_unlock(&timed);
    return result;
}

static int wait_for_post(void *argument)
{
    (void)argument;
    mtx_lock(&plain);
    while (!posted) cnd_wait(&ready, &plain);
    --posted;
    mtx_unlock(&plain);
    return 0;
}

static int run(thrd_start_t body)
{
    thrd_t t;
    int result = -1;
    thrd_create(&t, body, NULL);
    thrd_join(t, &result);
    return result;
}

int main(void)
{
    thrd_t t[4];
    int numbers[4] = { 0, 1, 2, 3 }, result = 0;
    show("mtx_init", mtx_init(&plain, mtx_plain));
    show("mtx_init", mtx_init(&timed, mtx_timed));
    show("mtx_init", mtx_init(&both, mtx_timed | mtx_recursive));
    show("cnd_init", cnd_init(&ready));
    show("tss_create", tss_create(&key, destroy));
    for (int i = 0; i < 4; ++i) show("thrd_create", thrd_create(&t[i], count, &numbers[i]));
    for (int i = 0; i < 4; ++i) {
        thrd_join(t[i], &result);
        printf("result %d\n", result);
    }
    printf("counted %d, initialised %d, destroyed %d, mine %d\n", counter, initialised, destroyed, mine);
    printf("equal %d\n", thrd_equal(thrd_current(), thrd_current()) != 0);
    mtx_lock(&plain);
    show("mtx_trylock by another", run(try_plain));
    mtx_unlock(&plain);
    show("mtx_trylock by another", run(try_plain));
    mtx_lock(&timed);
    show("mtx_timedlock by another", run(try_timed));
    mtx_unlock(&timed);
    show("mtx_timedlock by another", run(try_timed));
    show("mtx_lock", mtx_lock(&both));
    show("mtx_lock again", mtx_lock(&both));
    show("mtx_unlock", mtx_unlock(&both));
    show("mtx_unlock", mtx_unlock(&both));
    struct timespec soon = in(5);
    mtx_lock(&plain);
    show("cnd_timedwait", cnd_timedwait(&ready, &plain, &soon));
    mtx_unlock(&plain);
    for (int i = 0; i < 4; ++i) thrd_create(&t[i], wait_for_post, NULL);
    for (int i = 0; i < 2; ++i) {
        mtx_lock(&plain);
        ++posted;
        show("cnd_signal", cnd_signal(&ready));
        mtx_unlock(&plain);
        pause_for(2);
    }
    mtx_lock(&plain);
    posted += 2;
    show("cnd_broadcast", cnd_broadcast(&ready));
    mtx_unlock(&plain);
    for (int i = 0; i < 4; ++i) show("thrd_join", thrd_join(t[i], NULL));
    printf("posted %d\n", posted);
    thrd_create(&t[0], try_plain, NULL);
    show("thrd_detach", thrd_detach(t[0]));
    pause_for(5);
    mtx_destroy(&plain);
    mtx_destroy(&timed);
    mtx_destroy(&both);
    cnd_destroy(&ready);
    tss_delete(key);
    return 0;
}
