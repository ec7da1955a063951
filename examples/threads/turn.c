/* turn.c - threads and who of them runs: the turn, computing, waiting and waking, in virtual time. What happens outside
 * of the virtual clock, and the end of a run, are matters of files above this one (threads_above). */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROGRESS 1e-5                 /* [s]: somebody who computes for so long does not only poll */
#define SHORTEST 1e-9                 /* [s]: so late a timer may expire while a thread computes */
#define LITTLE 1e-6                   /* [s] */
#define LOOK_FIRST 1e-6               /* [s]: after that a thread looks for a change again, then after twice as long */
#define LOOK_LAST 1e-3                /* [s] */
#define POLLS_OF_INSTANT 1000         /* by then all threads that are ready have had the turn several times */
#define SMALL_STACK ((size_t)1 << 18) /* [B]: smaller stacks are enlarged */

threads_settings threads_set = { .cores = 1, .quantum = 3e-3, .polls = 10000000 };
threads_turn_state threads_turn = { .timer = (double)INFINITY };
threads_thread *threads_all;
uint32_t threads_started;
double threads_cpu;

static __thread threads_thread *self __attribute__((tls_model("initial-exec")));
static __thread bool over __attribute__((tls_model("initial-exec"))); /* the thread has ended */
static threads_thread *spare;
static double polls_since; /* [s]: when the first of the polls in a row was */
static threads_object lookers = { .kind =
                                      THREADS_SPIN }; /* threads that look for a change again and again wait for it */
static pthread_key_t key;
static bool keyed;

/*=============================================================================
 * MARK: - >>time
 *===========================================================================*/

double threads_now(void)
{
    return threads_engine->now();
}

/* Others may have displaced the data of this thread from the cache of the one core on which all run. Where the simulated cores
 * suffice for all threads, it would have kept a core, and its data: so much of its next CPU time will not be charged. Where
 * they do not, it would have lost them once in each slice, and not in each quantum. Others cannot have displaced more than they
 * took time for, and a thread that begins has no data there. */
static void turn__displaced(threads_thread *t)
{
    const double others = threads_cpu - t->times.cpu;
    if (threads_set.reload > 0 && t->times.cpu > 0) {
        const double kept = threads_engine->share() >= 1 ? 1 : fmax(1 - threads_set.quantum / threads_set.slice, 0);
        t->cold = fmin(t->cold + kept * (others - t->others), kept * threads_set.reload);
    }
    t->others = others;
}

/* The thread has the turn again. */
static void turn__resumed(threads_thread *t)
{
    threads_turn.running = t;
    turn__displaced(t);
    if (threads_turn.trapping && !t->trapped) threads_above.trap(t);
}

static void turn__compute(threads_thread *t, double seconds)
{
    t->times.cpu += seconds;
    threads_cpu += seconds;
    const double began = threads_now();
    threads_turn.running = NULL;
    threads_engine->compute(t->task, seconds);
    turn__resumed(t);
    t->times.computed += threads_now() - began;
}

bool threads_timed(void)
{
    return threads_turn.timer < (double)INFINITY || threads_turn.cpu_timers > 0;
}

static bool turn__expired(const threads_thread *t)
{
    return threads_turn.timer <= threads_now() || (threads_turn.cpu_timers > 0 && !(threads_above.cpu_left(t) > 0));
}

/* The handlers of signals run in the middle of a call, as if the thread were in none. */
static void turn__handle(threads_thread *t)
{
    const int inside = t->inside;
    const char *call = t->call;
    t->inside = 0;
    threads_measure(t, true);
    threads_signals_raise(t);
    threads_measure(t, false);
    t->inside = inside;
    t->call = call;
}

/* Computes up to the last timer that expires meanwhile; returns the CPU time that is left. */
static double turn__compute_timed(threads_thread *t, double seconds)
{
    for (;;) {
        if (turn__expired(t)) {
            threads_above.expired(t);
            if (t->inside <= 1) turn__handle(t);
        }
        double piece = (threads_turn.timer - threads_now()) * threads_engine->share();
        if (threads_turn.cpu_timers > 0) piece = fmin(piece, threads_above.cpu_left(t));
        if (!(piece < seconds)) return seconds;
        piece = fmax(piece, SHORTEST);
        turn__compute(t, piece);
        seconds = fmax(seconds - piece, 0);
    }
}

void threads_spend(threads_thread *t, double seconds)
{
    ++threads_turn.spends;
    if (!(seconds > 0) && !threads_rank) return; /* a rank may have other actions to hand over first */
    if (threads_timed()) seconds = turn__compute_timed(t, seconds);
    turn__compute(t, seconds);
}

/*=============================================================================
 * MARK: - >>calls
 *===========================================================================*/

static void turn__measured(threads_thread *t)
{
    if (threads_set.fixed) return;
    const double spent = direct_spent_enter(&t->spent) - threads_set.overhead;
    if (!(spent > 0)) return;
    const double reloading = fmin(t->cold, spent / 2); /* who comes back for a moment does not load all of it */
    t->cold -= reloading;
    t->pending += spent - reloading;
}

threads_thread *threads_self(void)
{
    return self;
}

bool threads_turn_mine(void)
{
    return self && !threads_off && threads_turn.running == self && self->inside == 0 && !self->gone;
}

threads_thread *threads_enter(const char *call)
{
    threads_thread *t = self;
    if (!t) {
        if (threads_off || over) return NULL;
        if (threads_turn.prepared)
            threads_die(
                "%s() was called by a thread that pthread_create() has not made, or that has ended: not supported "
                "(aio and getaddrinfo_a make such threads)",
                call);
        threads_above.prepare();
        t = self;
    }
    if (threads_off || t->gone) return NULL;
    if (threads_turn.running != t) {
        if (t->ended) return NULL;
        threads_die("%s() was called by a signal handler while its thread waits in %s(): not supported", call, t->call);
    }
    if (t->inside++ > 0) return t;
    direct_loop_call(&t->loop);
    t->call = call;
    turn__measured(t);
    if (threads_set.fixed) t->pending += threads_set.charge;
    return t;
}

/* A call that no other thread notices need not wait for its virtual time, unless this thread is far ahead of the
 * others. */
bool threads_private(threads_thread *t)
{
    if (threads_set.fixed || t->inside > 1 || t->pending > threads_set.quantum) return false;
    t->pending += threads_set.call_cost;
    return true;
}

double threads_charged(threads_thread *t)
{
    const double seconds = t->pending > 0 ? t->pending : 0;
    t->pending -= seconds;
    return seconds;
}

threads_thread *threads_begin(const char *call)
{
    return threads_pass(threads_enter(call));
}

/* The contents of its registers say nothing any more. */
static void turn__forget(threads_thread *t)
{
    memset(t->looking.registers, 0, sizeof t->looking.registers);
    t->looking.next = 0;
    t->looking.spins = false;
}

threads_thread *threads_pass(threads_thread *t)
{
    if (!t || t->inside > 1) return t;
    /* Where it only looks for something, between two looks at a clock, its time is within the next look. */
    if (!threads_set.fixed && t->pending + threads_set.call_cost < LITTLE && direct_loop_within(&t->loop)) return t;
    t->pending += threads_set.call_cost;
    const double seconds = threads_charged(t);
    if (seconds > PROGRESS) threads_turn.polls = 0;
    ++t->calls;
    ++threads_turn.active;
    if (t->looking.next > 0) turn__forget(t);
    threads_spend(t, seconds);
    threads_above.outside_look();
    threads_wake_all(&lookers);
    return t;
}

void threads_signals_raise(threads_thread *t)
{
    while (t->signals.first) {
        threads_signal *s = t->signals.first;
        const siginfo_t info = s->info;
        t->signals.first = s->next;
        t->signals.sent &= ~(UINT64_C(1) << (info.si_signo - 1));
        direct_reallocate(NULL, s, sizeof *s, 0);
        threads_real.syscall(SYS_rt_tgsigqueueinfo, getpid(), t->task->thread, info.si_signo, &info);
    }
    while (t->signals.sent) {
        const int signal = __builtin_ctzll(t->signals.sent) + 1;
        t->signals.sent &= t->signals.sent - 1;
        threads_real.kill(t->pthread, signal);
    }
}

void threads_leave(threads_thread *t)
{
    if (!t || --t->inside > 0) return;
    if (threads_timed() && turn__expired(t)) threads_above.expired(t);
    threads_signals_raise(t);
    if (!threads_set.fixed) direct_spent_leave(&t->spent);
    if (t->cancel.asked && t->cancel.type == PTHREAD_CANCEL_ASYNCHRONOUS && t->cancel.state == PTHREAD_CANCEL_ENABLE)
        threads_real.testcancel();
}

void threads_measure(threads_thread *t, bool on)
{
    if (threads_set.fixed || !t) return;
    if (on)
        direct_spent_leave(&t->spent);
    else
        turn__measured(t);
}

void threads_cancel_now(threads_thread *t)
{
    threads_leave(t);
    threads_real.testcancel();
}

THREADS_PUBLIC int simthreads_compute(double seconds)
{
    threads_thread *t = threads_begin("simthreads_compute");
    if (!t) return 0;
    if (!(seconds >= 0 && seconds < THREADS_MOST_SECONDS))
        threads_die("simthreads_compute(%g): expected seconds >= 0", seconds);
    if (seconds > PROGRESS) threads_turn.polls = 0;
    threads_spend(t, seconds);
    threads_leave(t);
    return 1;
}

void threads_yield(threads_thread *t)
{
    if (!threads_rank && !direct->first_ready) return;
    threads_turn.running = NULL;
    threads_engine->yield(t->task);
    turn__resumed(t);
}

/* This thread has nothing to do. Perhaps one that is ahead of it has taken its work, if it would have had a core. */
void threads_in_vain(void)
{
    if (threads_turn.ahead > 0 && threads_turn.ahead < threads_set.cores) ++threads_turn.in_vain;
}

/* Where calls take no time, the clock stands still while threads poll: what they look for can only come with the next event. */
static void turn__await_event(threads_thread *t)
{
    const double now = threads_now(), next = fmin(threads_engine->next(), threads_turn.timer);
    if (now > polls_since || !(next > now && next < (double)INFINITY)) return;
    threads_look(t, next);
    threads_turn.polls = 0;
    polls_since = threads_now();
}

/* Threads that are ready at this instant go on from time to time: one of them may be what this thread looks for. */
void threads_poll(void)
{
    threads_thread *t = self;
    if (threads_turn.polls == 0) polls_since = threads_now();
    direct_loop_vain(&t->loop);
    threads_in_vain();
    if (threads_turn.polls % 64 == 0) threads_yield(t);
    if (++threads_turn.polls < threads_set.polls || threads_set.polls == 0) {
        if (threads_set.fixed && threads_turn.polls % POLLS_OF_INSTANT == 0) turn__await_event(t);
        return;
    }
    threads_above.polled();
    threads_die(
        "at %.9g s: threads have polled %llu times in a row, by %s() at last, and nothing else has happened. A program "
        "that waits for another process, or for a change that never comes, does this; SIMTHREADS_POLLS=0 sets no limit",
        threads_now(), (unsigned long long)threads_turn.polls, t->call);
}

/*=============================================================================
 * MARK: - >>waiting
 *===========================================================================*/

static void turn__unqueue(threads_thread *t)
{
    threads_thread **place = &t->wait.object->first, *before = NULL;
    while (*place != t) {
        before = *place;
        place = &before->wait.next;
    }
    *place = t->wait.next;
    if (t->wait.object->last == t) t->wait.object->last = before;
}

/* The wait of a thread is over, since some virtual time. */
static void turn__wait_end(threads_thread *t, threads_end end, double over)
{
    const threads_object *object = t->wait.object;
    turn__unqueue(t);
    threads_path_wait_end(t, end == THREADS_TIMED_OUT ? t : self, object, over);
    t->wait.end = end;
    threads_object_waited(t, over - t->since);
    t->wait.object = NULL;
    if (object != &lookers && (end != THREADS_TIMED_OUT || over > t->since)) threads_turn.polls = 0;
}

void threads_wake(threads_thread *t, threads_end end)
{
    const double delay = threads_now() < t->wait.spins ? threads_set.spin_delay : threads_set.wake_delay;
    turn__wait_end(t, end, threads_now());
    threads_engine->wake(t->task, delay);
}

static void turn__queue(threads_thread *t, threads_object *object, double until)
{
    t->wait.object = object;
    t->wait.next = NULL;
    if (object->first)
        object->last->wait.next = t;
    else
        object->first = t;
    object->last = t;
    t->since = threads_now();
    t->wait.until = until;
    const double spins = object == &lookers ? (double)INFINITY : t->wait.site ? t->wait.site->spins : 0;
    t->wait.spins = threads_turn.alive <= threads_set.cores ? t->since + spins : 0;
}

void threads_notice(threads_thread *t)
{
    threads_engine->wake(t->task, threads_set.wake_delay);
}

/* A thread that nobody has woken is late. While it waits, it also sees to timers and to its signals. */
static void turn__wait(threads_thread *t, threads_object *object, double until, bool spins)
{
    if (t->wait.object)
        threads_die("%s() was called by a signal handler and waits, while its thread waits for a %s: not supported",
                    t->call, threads_kind_name(t->wait.object->kind));
    if (object->kind < THREADS_FILES && object != &lookers && t->times.cpu - t->worked < threads_set.quantum)
        threads_in_vain();
    turn__queue(t, object, until);
    t->wait.idle = false;
    const bool outside = t->wait.files && threads_engine->wait_outside;
    double over;
    do {
        const double limit = fmax(spins ? until : fmin(until, threads_turn.timer), threads_now());
        threads_turn.running = NULL;
        over = outside ? threads_engine->wait_outside(t->task, limit, t->call, &t->wait.idle)
                       : threads_engine->wait(t->task, limit, spins, t->call);
        turn__resumed(t);
        if (threads_timed() && turn__expired(t)) threads_above.expired(t);
        if (t->wait.object && t->signals.sent) turn__handle(t);
    } while (t->wait.object && over < until && !outside); /* who waits for something outside looks for it first */
    t->times.waking += threads_now() - over;
    if (t->wait.object) turn__wait_end(t, THREADS_TIMED_OUT, over);
    threads_path_woken(t);
    t->worked = t->times.cpu;
}

threads_end threads_wait(threads_thread *t, threads_object *object, double deadline, bool cancellable)
{
    const double began = threads_now(), until = deadline + threads_set.timer_delay;
    t->wait.cancellable = cancellable;
    turn__wait(t, object, until < began ? began : until, false);
    t->wait.cancellable = t->wait.interruptible = false;
    if (t->wait.end == THREADS_TIMED_OUT && threads_now() <= began) threads_poll(); /* until a time that has passed */
    return t->wait.end;
}

threads_end threads_spin(threads_thread *t, threads_object *object)
{
    turn__wait(t, object, (double)INFINITY, true);
    return t->wait.end;
}

/* The part of a core that each thread has while all that are ready compute. */
static double turn__share(void)
{
    unsigned able = 0;
    for (const threads_thread *t = threads_all; t; t = t->next_of_all) able += !t->ended && !t->gone && !t->wait.object;
    return fmin(threads_engine->share(), (double)threads_set.cores / able);
}

void threads_look(threads_thread *t, double until)
{
    const double began = threads_now(), share = turn__share();
    ++threads_turn.spends;
    threads_turn.running = NULL;
    threads_engine->wait(t->task, until, true, t->call);
    turn__resumed(t);
    const double passed = threads_now() - began;
    t->times.computed += passed;
    t->times.cpu += passed * share;
    threads_cpu += passed * share;
    threads_turn.looked += passed * share;
    threads_above.outside_look();
}

void threads_look_again(threads_thread *t, double seconds)
{
    t->pending -= t->pending < seconds ? t->pending : seconds;
    if (t->pending > 0) threads_pass(t);
    if (t->calls != t->looking.calls) t->looking.times = 0;
    t->looking.calls = t->calls;
    const double moment = fmin(LOOK_FIRST * (double)(UINT64_C(1) << t->looking.times), LOOK_LAST);
    if (moment < LOOK_LAST) ++t->looking.times;
    turn__wait(t, &lookers, threads_now() + moment, threads_turn.alive <= threads_set.cores);
    threads_poll();
}

bool threads_wake_first(threads_object *object)
{
    if (!object || !object->first) return false;
    threads_wake(object->first, THREADS_WOKEN);
    return true;
}

unsigned threads_wake_all(threads_object *object)
{
    unsigned woken = 0;
    while (threads_wake_first(object)) ++woken;
    return woken;
}

/*=============================================================================
 * MARK: - >>threads
 *===========================================================================*/

static threads_thread *turn__new(void)
{
    threads_thread *t = spare;
    if (t)
        spare = t->next_of_all;
    else
        t = direct_new(sizeof *t);
    memset(t, 0, sizeof *t);
    t->task = threads_engine->task_new();
    t->number = threads_started++;
    t->next_of_all = threads_all;
    threads_all = t;
    t->cancel.state = PTHREAD_CANCEL_ENABLE;
    t->cancel.type = PTHREAD_CANCEL_DEFERRED;
    ++threads_turn.alive;
    threads_path_begin(t, self);
    return t;
}

/* The struct may be used again; its times have been added to those of its kind. */
void threads_drop(threads_thread *t)
{
    threads_thread **place = &threads_all;
    while (*place != t) place = &(*place)->next_of_all;
    *place = t->next_of_all;
    t->next_of_all = spare;
    spare = t;
}

threads_thread *threads_find(pthread_t thread)
{
    for (threads_thread *t = threads_all; t; t = t->next_of_all)
        if (pthread_equal(t->pthread, thread) && !(t->ended && t->detached)) return t;
    return NULL;
}

static void *turn__body(void *user)
{
    threads_thread *t = user;
    threads_engine->first(t->task);
    self = t;
    turn__resumed(t);
    pthread_setspecific(key, t);
    if (!threads_set.fixed) direct_spent_begin(&t->spent, CLOCK_THREAD_CPUTIME_ID);
    t->inside = 1;
    threads_leave(t);
    return t->body(t->argument);
}

void threads_exit(threads_thread *t)
{
    threads_begin("the end of a thread");
    t->ended = true;
    threads_above.ended(t);
    if (--threads_turn.alive == 0) {
        t->inside = 0;
        ++threads_turn.alive;
        threads_measure(t, true);
        exit(0);
    }
    if (t->joiner) threads_wake(t->joiner, THREADS_WOKEN);
    threads_turn.polls = 0;
    self = NULL;
    over = true;
    direct_task *task = t->task;
    threads_turn.running = NULL;
    if (t->detached) threads_drop(t);
    threads_engine->end(task);
}

/* Runs among the destructors of a thread that ends, in the last round of them. */
static void turn__last(void *user)
{
    threads_thread *t = user;
    if (threads_off || t->gone) return;
    if (++t->rounds < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(key, t) == 0) return;
    threads_exit(t);
}

int threads_make(threads_thread *t, pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                 void *argument, const void *entry)
{
    pthread_attr_t copy;
    int state = PTHREAD_CREATE_JOINABLE;
    size_t size = SMALL_STACK;
    void *stack = NULL;
    threads_above.several();
    threads_thread *child = turn__new();
    child->body = body;
    child->argument = argument;
    child->entry = entry;
    child->affinity = t->affinity;
    if (attributes) {
        pthread_attr_getdetachstate(attributes, &state);
        if (pthread_attr_getstack(attributes, &stack, &size) == 0 && size < SMALL_STACK) {
            child->small = stack && (uintptr_t)stack + size != 0;
            if (!child->small) {
                copy = *attributes;
                pthread_attr_setstacksize(&copy, SMALL_STACK);
                attributes = &copy;
            }
        }
    }
    child->detached = state == PTHREAD_CREATE_DETACHED;
    threads_measure(t, true);
    const int error = threads_real.create(&child->pthread, attributes, turn__body, child);
    threads_measure(t, false);
    if (error) {
        --threads_turn.alive;
        --threads_started;
        threads_drop(child);
        return error;
    }
    *thread = child->pthread;
    threads_turn.polls = 0;
    threads_engine->wake(child->task, threads_set.wake_delay);
    direct_futex(&threads_turn.bell, FUTEX_WAKE, 1, NULL);
    return 0;
}

/*=============================================================================
 * MARK: - >>the beginning
 *===========================================================================*/

threads_thread *threads_main(void)
{
    threads_all = NULL;
    threads_started = threads_turn.alive = 0;
    threads_thread *t = turn__new();
    t->pthread = pthread_self();
    t->call = "main";
    threads_engine->first(t->task);
    snprintf(t->name, sizeof t->name, "main");
    /* Calls meanwhile, such as those of the library that backtrace() loads, are no part of the program. */
    t->inside = 1;
    if (!threads_set.fixed) direct_spent_begin(&t->spent, CLOCK_THREAD_CPUTIME_ID);
    self = t;
    threads_turn.running = t;
    if (!keyed && pthread_key_create(&key, turn__last) != 0) threads_die("no key for data of threads is left");
    keyed = true;
    pthread_setspecific(key, t);
    return t;
}

bool threads_forked(void)
{
    threads_thread *me = self;
    if (!me || threads_off) return false;
    for (threads_thread *t = threads_all; t; t = t->next_of_all) t->gone = t != me;
    threads_engine->forked(me->task);
    lookers.first = lookers.last = NULL;
    me->trapped = false;
    threads_turn.alive = 1;
    threads_turn.running = me;
    if (!threads_set.fixed) direct_spent_begin(&me->spent, CLOCK_THREAD_CPUTIME_ID);
    return true;
}
