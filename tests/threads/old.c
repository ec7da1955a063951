/* old.c - functions by the symbols of old versions of glibc, as binary programs and libraries of that time have them. Their
 * conditions have 24 bytes, and their sets of processors no size. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__GLIBC__)
__asm__(".symver old_init,pthread_cond_init@GLIBC_2.2.5");
__asm__(".symver old_wait,pthread_cond_wait@GLIBC_2.2.5");
__asm__(".symver old_timedwait,pthread_cond_timedwait@GLIBC_2.2.5");
__asm__(".symver old_signal,pthread_cond_signal@GLIBC_2.2.5");
__asm__(".symver old_broadcast,pthread_cond_broadcast@GLIBC_2.2.5");
__asm__(".symver old_destroy,pthread_cond_destroy@GLIBC_2.2.5");
__asm__(".symver old_getaffinity,sched_getaffinity@GLIBC_2.3.3");
__asm__(".symver old_setaffinity,sched_setaffinity@GLIBC_2.3.3");
__asm__(".symver old_getaffinity_np,pthread_getaffinity_np@GLIBC_2.3.3");
__asm__(".symver old_setaffinity_np,pthread_setaffinity_np@GLIBC_2.3.3");
int old_init(void *, void *), old_wait(void *, pthread_mutex_t *), old_signal(void *), old_broadcast(void *), old_destroy(void *);
int old_timedwait(void *, pthread_mutex_t *, const struct timespec *);
int old_getaffinity(pid_t, cpu_set_t *), old_setaffinity(pid_t, const cpu_set_t *);
int old_getaffinity_np(pthread_t, cpu_set_t *), old_setaffinity_np(pthread_t, const cpu_set_t *);

enum { WORDS = 7, OWN = 3, GUARDED = 64 };
#define GUARD UINT64_C(0x0123456789abcdef)
static uint64_t words[WORDS]; /* a condition in the first three */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int turn;

static void *other(void *unused)
{
    pthread_mutex_lock(&mutex);
    turn = 1;
    old_signal(words);
    while (turn != 2) old_wait(words, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    const struct timespec past = { 1, 0 };
    struct {
        cpu_set_t set;
        uint64_t behind[GUARDED];
    } processors;
    pthread_t t;
    int changed = 0;
    for (int i = 0; i < WORDS; ++i) words[i] = GUARD;
    old_init(words, NULL);
    pthread_create(&t, NULL, other, NULL);
    pthread_mutex_lock(&mutex);
    while (turn != 1) old_wait(words, &mutex);
    turn = 2;
    old_broadcast(words);
    printf("a time in the past: %d\n", old_timedwait(words, &mutex, &past));
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    old_destroy(words);
    for (int i = OWN; i < WORDS; ++i) changed += words[i] != GUARD;
    printf("words changed behind the condition: %d\n", changed);
    for (int by_thread = 0; by_thread < 2; ++by_thread) {
        for (int i = 0; i < GUARDED; ++i) processors.behind[i] = GUARD;
        const int got = by_thread ? old_getaffinity_np(pthread_self(), &processors.set) : old_getaffinity(0, &processors.set);
        changed = 0;
        for (int i = 0; i < GUARDED; ++i) changed += processors.behind[i] != GUARD;
        printf("%d, %d processors, words changed behind the set: %d\n", got, CPU_COUNT(&processors.set), changed);
        CPU_ZERO(&processors.set);
        CPU_SET(1, &processors.set);
        const int set = by_thread ? old_setaffinity_np(pthread_self(), &processors.set) : old_setaffinity(0, &processors.set);
        sched_getaffinity(0, sizeof processors.set, &processors.set);
        printf("%d, a set of %d\n", set, CPU_COUNT(&processors.set));
    }
    return 0;
}
#else
int main(void)
{
    return 77; /* there are no such symbols */
}
#endif
