/* run.c - all cores of this machine: a thread each, which takes batches until all runs are made */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What the threads share. */
typedef struct crew {
    sweep *s;
    const sweep_run_desc *desc;
    pthread_mutex_t lock; /* of all that follows, and of the sweep */
    pthread_cond_t news;  /* results have come, or a thread has ended */
    unsigned threads, working;
    bool alone;          /* there is no other thread, which would show progress */
    double began, shown; /* real times [s] */
    size_t at_first;     /* runs that had ended then */
    int failed;          /* by atomic access: threads look at it between two runs */
} crew;

static unsigned cores(void)
{
#if defined(CPU_COUNT)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return (unsigned)CPU_COUNT(&set);
#endif
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (unsigned)count : 1;
}

static bool stopped(const crew *c)
{
    return __atomic_load_n(&c->failed, __ATOMIC_RELAXED) != 0 ||
           (c->desc->stop && __atomic_load_n(c->desc->stop, __ATOMIC_RELAXED) != 0);
}

static void fails(crew *c)
{
    __atomic_store_n(&c->failed, 1, __ATOMIC_RELAXED);
}

/* Shows progress, a few times a second. */
static void show(crew *c)
{
    const double now = sweep_clock();
    char text[160];
    if (!c->desc->show || now < c->shown + 0.2) return;
    c->shown = now;
    sweep_progress_text(c->s, now - c->began, c->at_first, text);
    c->desc->show(c->desc->user, text);
}

/* Takes batches until there are no more; called with the lock. */
static void work(crew *c, sweep_maker *m, uint64_t *run)
{
    size_t count = 0, made = 0;
    double seconds = 0;
    for (;;) {
        const size_t wanted = sweep_batch(seconds, made, c->s->missing, c->threads);
        while (!stopped(c) && (count = sweep_deal(c->s, run, wanted)) == 0 && c->s->dealt > 0)
            pthread_cond_wait(&c->news, &c->lock);
        if (stopped(c) || count == 0) return;
        pthread_mutex_unlock(&c->lock);
        const double began = sweep_clock();
        bool right = true;
        m->line.length = 0;
        for (made = 0; made < count && right && !stopped(c) && sweep_clock() - began < SWEEP_PATIENCE; ++made)
            right = sweep_maker_run(m, run[made]);
        seconds = sweep_clock() - began;
        pthread_mutex_lock(&c->lock);
        sweep_deal_back(c->s, run + made, count - made);
        if (!right) sweep_says(c->s, "no memory for a run");
        if (!right || !sweep_results_append(c->s, m->line.text, m->line.length)) fails(c);
        pthread_cond_broadcast(&c->news);
        if (c->alone) show(c);
    }
}

static void *thread(void *user)
{
    crew *c = (crew *)user;
    sweep_maker m;
    uint64_t *run = (uint64_t *)malloc(SWEEP_BATCH * sizeof *run);
    const bool open = sweep_maker_open(&m, c->s);
    pthread_mutex_lock(&c->lock);
    if (run && open) {
        work(c, &m, run);
    } else {
        sweep_says(c->s, "no memory for a thread");
        fails(c);
    }
    c->working--;
    pthread_cond_broadcast(&c->news);
    pthread_mutex_unlock(&c->lock);
    if (open) sweep_maker_close(&m);
    free(run);
    return NULL;
}

/* Shows progress until all threads have ended, and the others have nothing left. */
static void watch(crew *c, bool (*others)(void *user, bool *failed), void *user)
{
    pthread_mutex_lock(&c->lock);
    for (bool out = others != NULL; c->working > 0 || out;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += others ? 2000000 : 200000000;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&c->news, &c->lock, &until);
        if (others) {
            const size_t ended = c->s->tally.done + c->s->tally.failed;
            bool failed = false;
            out = others(user, &failed);
            if (failed) fails(c);
            out = out && !stopped(c);
            if (c->s->tally.done + c->s->tally.failed > ended) pthread_cond_broadcast(&c->news);
        }
        if (stopped(c)) pthread_cond_broadcast(&c->news);
        show(c);
    }
    pthread_mutex_unlock(&c->lock);
}

bool sweep_run(sweep *s, const sweep_run_desc *desc)
{
    return sweep_run_with(s, desc, NULL, NULL);
}

bool sweep_run_with(sweep *s, const sweep_run_desc *desc, bool (*others)(void *user, bool *failed), void *user)
{
    crew c = { .s = s, .desc = desc };
    if (s->read_only) return sweep_says(s, "%s: the sweep was opened to be read", s->path);
    sweep_deal_begin(s);
    if (s->missing == 0 && !others) return true;
    if (s->missing > 0 && !sweep_make_again(s)) return false;
    c.threads = desc->threads > 0 ? desc->threads : cores();
    if (c.threads > s->missing && !s->asked && !others) c.threads = (unsigned)s->missing;
    pthread_t *threads = (pthread_t *)malloc(c.threads * sizeof *threads);
    if (!threads) return sweep_says(s, "no memory for threads");
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.news, NULL);
    unsigned started = 0;
    c.began = sweep_clock();
    c.at_first = s->tally.done + s->tally.failed;
    c.working = c.threads;
    c.alone = c.threads == 1 && !others; /* malloc() is faster in a process of one thread */
    if (c.alone) thread(&c);
    for (; started < c.threads && !c.alone; ++started) {
        const int error = pthread_create(&threads[started], NULL, thread, &c);
        if (error == 0) continue;
        pthread_mutex_lock(&c.lock);
        if (started == 0) {
            sweep_says(s, "threads cannot be started: %s", strerror(error));
            fails(&c);
        }
        c.working -= c.threads - started; /* fewer do it, too */
        pthread_mutex_unlock(&c.lock);
        break;
    }
    if (!c.alone) watch(&c, others, user);
    for (unsigned i = 0; i < started; ++i) pthread_join(threads[i], NULL);
    pthread_cond_destroy(&c.news);
    pthread_mutex_destroy(&c.lock);
    free(threads);
    if (c.failed) return false;
    return (s->missing == 0 && s->dealt == 0) || sweep_says(s, "stopped; the same command goes on");
}
