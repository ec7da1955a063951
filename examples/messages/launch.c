/* launch.c - starts tasks and gives them turns. Before main() begins, a program becomes a launcher and its tasks:
 * processes, of which one has the turn. The launcher sleeps until a task has ended, asks for another one, or cannot
 * run the engine itself. */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Reasons for waking the launcher. */
enum { CHILD = 1, SERVE = 2, OVER = 4, START = 8, SLEEPS = 16, INTERRUPTED = 32 };
enum {
    IDLE,
    GO,
    ASLEEP,
    VISIT,
    TELL,
    AHEAD
}; /* a task's turn; VISIT: it only applies deeds; TELL: it keeps its stack and waits on; AHEAD: it may go on without */

#define SPINS 20000
#define SHORT 20e-6 /* [s] */
#define MOST_POLLS 10000000
#define WORTH 50e-6 /* CPU time after a wait from which on waking a task on another core pays [s] */

static bool is_launcher;
static int postponed; /* number of tasks that have died while they ran ahead of their turns */

/*=============================================================================
 * MARK: - >>CPU time
 *===========================================================================*/

/* Reading the CPU time takes half a microsecond. So it is read only if more wall-clock time than that has passed;
 * shorter intervals since the last reading are measured with the wall clock. */
static struct {
    double left;    /* when the task last returned from a call */
    double entered; /* when it last entered a call */
    double read;    /* CPU time at the last reading */
    double counted; /* time since then, in short intervals */
    bool slept;
    bool waited; /* the last call may have run ahead */
} spent MESSAGES_COMMON;

static double launch__clock_of(clockid_t which)
{
    struct timespec t;
    messages_clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void launch__processor_read(void)
{
    spent.read = launch__clock_of(CLOCK_PROCESS_CPUTIME_ID);
    spent.counted = 0;
    spent.slept = false;
}

static void launch__computed(void);

double messages_segment_time(const char *call)
{
    double wall = launch__clock_of(CLOCK_MONOTONIC), segment = wall - spent.left;
    if (segment > SHORT) {
        double before = spent.read + spent.counted, most = segment;
        launch__processor_read();
        segment = spent.read - before;
        segment = segment < 0 ? 0 : segment > most ? most : segment;
    } else {
        spent.counted += segment;
    }
    spent.entered = wall;
    launch__computed();
    messages_turn_take();
    messages_lock();
    if (spent.waited) messages_self->computes = fmax(messages_self->computes * 0.75, segment);
    spent.waited = false;
    messages_self->inside = true;
    ++messages_self->entered;
    strncpy(messages_self->call, call, sizeof messages_self->call - 1);
    if (messages_real_seen) messages_real_note();
    return segment;
}

void messages_enter(const char *call)
{
    double segment = messages_segment_time(call);
    if (messages->measure) messages_compute(segment);
}

/* A thread is known by the address of a variable of its own. */
static const char *thread_inside MESSAGES_COMMON; /* the one that is in a call; NULL: none */
static const char *thread_first MESSAGES_COMMON;  /* the one that made the first call */
static const char *thread_only MESSAGES_COMMON;   /* the only one of ranks that share a process */
static __thread char thread_own;

bool messages_alone(const char *call)
{
    if (thread_only && thread_only != &thread_own)
        messages_end(1, "a thread called %s, which is impossible when ranks share a process (SIMKIT_RANKS=together)",
                     call);
    const char *before = __atomic_exchange_n(&thread_inside, &thread_own, __ATOMIC_SEQ_CST);
    if (before && before != &thread_own)
        messages_end(
            1,
            "%s: a thread called %s while another was in %s: only one thread of a rank may be in a call at a time "
            "(MPI_THREAD_SERIALIZED)",
            messages_self->name, call, messages_self->call);
    if (!thread_first) thread_first = &thread_own;
    return thread_first == &thread_own;
}

bool messages_first_thread(void)
{
    return thread_first == &thread_own;
}

void messages_leave(void)
{
    messages_task *t = messages_self;
    if (messages_in_rounds) {
        messages_in_rounds = false;
        if (t->further) messages_turn_take(); /* it is handed over with what the next call adds */
    }
    if (t->ahead)
        t->outside = true;
    else
        t->inside = false;
    messages_unlock();
    __atomic_store_n(&thread_inside, NULL, __ATOMIC_SEQ_CST);
    spent.left = launch__clock_of(CLOCK_MONOTONIC);
    if (spent.slept || spent.left - spent.entered > SHORT)
        launch__processor_read();
    else
        spent.counted += spent.left - spent.entered;
}

bool messages_is_inside(void)
{
    return thread_inside == &thread_own;
}

void messages_go_on(const char *call)
{
    messages_task *t = messages_self;
    if (messages_is_inside()) return; /* the function made no call */
    __atomic_store_n(&thread_inside, &thread_own, __ATOMIC_SEQ_CST);
    spent.entered = launch__clock_of(CLOCK_MONOTONIC);
    messages_turn_take();
    messages_lock();
    t->inside = true;
    strncpy(t->call, call, sizeof t->call - 1);
}

double messages_clock(void)
{
    return launch__clock_of(CLOCK_MONOTONIC);
}

double messages_now(void)
{
    messages_turn_take();
    return simkit_clock_now(messages->world);
}

/*=============================================================================
 * MARK: - >>turns
 *===========================================================================*/

static long launch__futex(uint32_t *word, int what, uint32_t value)
{
    return syscall(SYS_futex, word, what, value, NULL, NULL, 0);
}

static void launch__turn_set(messages_task *t, uint32_t turn)
{
    if (__atomic_exchange_n(&t->turn, turn, __ATOMIC_SEQ_CST) == ASLEEP) launch__futex(&t->turn, FUTEX_WAKE, 1);
}

/* -- on which core a task runs --
 * Waking a process on another core takes ten times as long as on the same one. So a task that is to compute for long is
 * moved to the core on which the fewest tasks compute, and others follow the turn. */

static void launch__pin(pid_t process, int processor)
{
    cpu_set_t set;
    if (processor < 0) return;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    sched_setaffinity(process, sizeof set, &set);
}

static void launch__move(messages_task *t, int core)
{
    if (t->core == core || messages->spins > 0) return; /* of two, each has its own */
    t->core = core;
    launch__pin(t->process, messages->processors[core]);
}

/* Moves a task that is to compute to the core on which the fewest tasks do, not counting where it is now; the turn counts
 * as half a task. */
static void launch__spread(messages_task *t, const messages_task *turn)
{
    double least = INFINITY;
    int best = t->core;
    if (__atomic_load_n(&t->counted, __ATOMIC_RELAXED) != 0) return;
    for (int i = 0; i < messages->cores; ++i) {
        const double load = (double)__atomic_load_n(&messages->computes[i], __ATOMIC_RELAXED) +
                            (turn && turn->core == i ? 0.5 : 0) + (i != t->core ? 0.25 : 0);
        if (load >= least) continue;
        least = load;
        best = i;
    }
    launch__move(t, best);
    __atomic_fetch_add(&messages->computes[t->core], 1, __ATOMIC_RELAXED);
    __atomic_store_n(&t->counted, (uint32_t)t->core + 1, __ATOMIC_RELAXED);
}

/* This task, which may have computed, makes a call, or waits. */
static void launch__computed(void)
{
    messages_task *t = messages_self;
    if (!t || __atomic_load_n(&t->counted, __ATOMIC_RELAXED) == 0) return;
    const uint32_t counted = __atomic_exchange_n(&t->counted, 0, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&messages->computes[counted - 1], 1, __ATOMIC_RELAXED);
}

/* Gives the turn to a task, or to the process that it shares with others. */
static void launch__wake(messages_task *t)
{
    if (messages->cores > 1 && t->computes >= messages->worth)
        launch__spread(t, NULL);
    else if (messages->cores > 1 && messages_self && !t->counted)
        launch__move(t, messages_self->core);
    launch__turn_set(t->together ? messages->tasks[0] : t, GO);
}

void (*messages_apply)(messages_deed *deed) MESSAGES_COMMON;

static void launch__deeds_apply(messages_deed **first, messages_deed **last)
{
    while (*first) {
        messages_deed *d = *first;
        *first = d->next;
        messages_apply(d);
    }
    *last = NULL;
}

/* Applies the deeds of others on the memory of this task, and all on memory in the arena. */
static void launch__deeds_take(void)
{
    if (!messages_apply) return;
    launch__deeds_apply(&messages_self->first_deed, &messages_self->last_deed);
    launch__deeds_apply(&messages->first_deed, &messages->last_deed);
}

/* Returns the turn: GO, VISIT or AHEAD. */
static uint32_t launch__turn_wait(uint32_t *turn)
{
    for (int i = messages->spins; i > 0; --i) {
        if (__atomic_load_n(turn, __ATOMIC_ACQUIRE) != IDLE) break;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    for (;;) {
        uint32_t was = IDLE;
        if (!__atomic_compare_exchange_n(turn, &was, ASLEEP, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
            was != ASLEEP) { /* else it was woken for a turn that it has had */
            if (was != TELL) break;
            messages_stack_keep();
            __atomic_store_n(turn, IDLE, __ATOMIC_SEQ_CST);
            continue;
        }
        spent.slept = true;
        launch__futex(turn, FUTEX_WAIT, ASLEEP);
    }
    return __atomic_exchange_n(turn, IDLE, __ATOMIC_SEQ_CST);
}

bool messages_ahead MESSAGES_COMMON;
bool messages_in_rounds MESSAGES_COMMON;

void messages_turn_wait(void)
{
    uint32_t *turn = messages_self->together ? &messages->tasks[0]->turn : &messages_self->turn, given;
    messages_unlock();
    while ((given = launch__turn_wait(turn)) == VISIT) {
        messages_task *visited = messages->tasks[messages->visited];
        if (visited == messages_self)
            launch__deeds_take();
        else
            messages_together_as(visited, launch__deeds_take);
        launch__wake(messages->tasks[messages->visitor]);
    }
    messages_lock();
    messages_self->alone = messages_ahead = given == AHEAD;
    if (!messages_self->together) return;
    messages_task *next = messages->tasks[messages->running];
    spent.slept = true;
    if (next != messages_self) messages_together_switch(next);
}

void messages_turn_take(void)
{
    if (!messages_ahead) return;
    launch__computed();
    messages_turn_wait();
    messages_further_take();
}

void messages_go_ahead(messages_task *t)
{
    if (t->computes < messages->worth) return; /* it will have its turn in time */
    if (t->released) return;
    t->released = true;
    t->next_released = messages->first_released;
    messages->first_released = t;
}

/* Lets a task that waits go ahead, unless something else is asked of it. Returns whether it sleeps. */
static bool launch__ahead_set(messages_task *t)
{
    uint32_t turn = __atomic_load_n(&t->turn, __ATOMIC_SEQ_CST);
    while ((turn == IDLE || turn == ASLEEP) &&
           !__atomic_compare_exchange_n(&t->turn, &turn, AHEAD, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        continue;
    return turn == ASLEEP;
}

/* Lets the tasks go ahead that may, and gives up the lock, unless this task goes on itself. Several tasks call this at once,
 * so it is done under the lock, before the next turn can be given: AHEAD after GO would be a turn lost. But those that
 * sleep are woken without the lock, because they will need it. */
static void launch__released_wake(bool goes_on)
{
    enum { ROOM = 64 };
    messages_task *asleep[ROOM];
    int count = 0;
    for (messages_task *t = messages->first_released; t; t = t->next_released) {
        if (!t->released) continue;
        t->released = false;
        if (t->has_turn) continue;
        launch__spread(t, messages_self);
        if (!launch__ahead_set(t)) continue;
        if (count < ROOM)
            asleep[count++] = t;
        else
            launch__futex(&t->turn, FUTEX_WAKE, 1);
    }
    messages->first_released = NULL;
    if (!goes_on) messages_unlock();
    for (int i = 0; i < count; ++i) launch__futex(&asleep[i]->turn, FUTEX_WAKE, 1);
}

void messages_visit(messages_task *t)
{
    if (t->together && messages_self->together) {
        messages_together_as(t, launch__deeds_take);
        return;
    }
    messages->visitor = messages_self->number;
    messages->visited = t->number;
    launch__turn_set(t->together ? messages->tasks[0] : t, VISIT);
    messages_turn_wait();
}

bool messages_stack_ask(messages_task *t)
{
    enum { PATIENCE = 5000 }; /* times 100 us */
    const struct timespec step = { 0, 100000 };
    if (t == messages_self) {
        messages_stack_keep();
        return true;
    }
    if (t->ended || !t->process || t->together)
        return false; /* of ranks that share a process only the stack of one is there */
    const uint32_t before = __atomic_exchange_n(&t->turn, TELL, __ATOMIC_SEQ_CST);
    messages_unlock(); /* it needs memory for its stack */
    if (before == ASLEEP) launch__futex(&t->turn, FUTEX_WAKE, 1);
    for (int i = 0; i < PATIENCE && __atomic_load_n(&t->turn, __ATOMIC_SEQ_CST) == TELL; ++i)
        messages_nanosleep(&step, NULL);
    messages_lock_break();
    return __atomic_load_n(&t->turn, __ATOMIC_SEQ_CST) != TELL && t->stack != NULL;
}

static void launch__ring(uint32_t why)
{
    if (__atomic_fetch_or(&messages->bell, why, __ATOMIC_SEQ_CST) & SLEEPS)
        launch__futex(&messages->bell, FUTEX_WAKE, 1);
}

/* What a process is doing, as /proc says. */
static const char *launch__process_doing(pid_t process)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *f = fopen(path, "r");
    if (f && fread(text, 1, sizeof text - 1, f) == 0) text[0] = 0;
    if (f) fclose(f);
    const char *end = strrchr(text, ')'); /* of its name */
    switch (end && end[1] ? end[2] : 0) {
    case 'T': return "is stopped by a signal";
    case 't': return "is stopped by a debugger";
    case 'R': return "computes";
    case 'S':
    case 'D': return "waits for the system, as in a read or a sleep";
    default: return "runs";
    }
}

/* The line at which a task is that is in no call, as a mark; empty: unknown. The task does not go on. */
static const char *launch__where_computing(messages_task *t)
{
    enum { PATIENCE = 5000 }; /* times 100 us */
    const struct timespec step = { 0, 100000 };
    t->asked = true;
    if (kill(t->process, SIGABRT) != 0 || kill(t->process, SIGCONT) != 0) return "";
    for (int i = 0; i < PATIENCE && !__atomic_load_n(&t->crashed, __ATOMIC_SEQ_CST); ++i)
        messages_nanosleep(&step, NULL);
    return t->crashed ? messages_where_kept(t) : "";
}

/* Ends the run if the task that has the turn has not made a call for too long, in real time. */
static void launch__patience_check(void)
{
    static uint64_t turns = UINT64_MAX;
    static double since;
    const double now = messages_clock();
    if (turns != messages->turns) {
        turns = messages->turns;
        since = now;
    }
    const double passed = now - since;
    if (passed < messages->patience || messages->running < 0) return;
    messages_task *t = messages->tasks[messages->running];
    char waiting[sizeof messages->why - 512] = "";
    const char *doing = launch__process_doing(t->process), *line = t->inside ? "" : launch__where_computing(t);
    if (!t->inside) messages_waiting_text(waiting, sizeof waiting); /* else it may be changing the lists */
    messages_end(
        1,
        "%s on %s, process %d, has not made a call for %.3g s of real time (--patience or SIMKIT_PATIENCE sets the "
        "limit): it %s%s, %s %s at %.9g s%s",
        t->name, messages->cluster.hosts[t->host].name, (int)t->process, passed, doing,
        line[0] ? messages_where_kept(t) : "", t->inside ? "in" : "after", t->call[0] ? t->call : "its start",
        messages_now(), waiting);
}

/* Sleeps until the bell rings; with a limit of real time, also now and then to check it. */
static void launch__bell_sleep(uint32_t *bell)
{
    const double patience = messages->patience / 8 < 1 ? messages->patience / 8 : 1;
    const double step = postponed > 0 ? 1e-3 : patience;
    struct timespec time = { (time_t)step, (long)((step - (double)(time_t)step) * 1e9) };
    if (messages->patience > 0 && !messages->over) launch__patience_check();
    syscall(SYS_futex, bell, FUTEX_WAIT, SLEEPS, step > 0 ? &time : NULL, NULL, 0);
    const int32_t running = __atomic_load_n(&messages->running, __ATOMIC_SEQ_CST);
    if (postponed > 0 && running >= 0 && messages->tasks[running]->died) launch__ring(CHILD);
}

/* Waits until the launcher is needed. */
static uint32_t launch__bell_wait(void)
{
    uint32_t *bell = &messages->bell, why;
    while ((why = __atomic_load_n(bell, __ATOMIC_ACQUIRE)) == 0 || why == SLEEPS) {
        uint32_t silent = 0;
        if (why == 0 && !__atomic_compare_exchange_n(bell, &silent, SLEEPS, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            continue;
        launch__bell_sleep(bell);
    }
    return __atomic_exchange_n(bell, 0, __ATOMIC_SEQ_CST) & ~(uint32_t)SLEEPS;
}

/* Gives the turn to the task that is next in virtual time. */
static void launch__hand_over(messages_task *t)
{
    messages_task *next = messages_engine_next(t);
    launch__released_wake(false);
    if (next)
        launch__wake(next);
    else
        launch__ring(OVER);
}

/* Passes the turn on, and returns when the task has it again. */
static void launch__turn_pass(messages_task *t)
{
    const bool several = messages->cores > 1;
    if (several) {
        launch__computed();
        messages_lock(); /* an operation of the program may have made a call, which has given it up */
        t->has_turn = false;
    }
    if (t->forked) {
        messages_task *next = messages_engine_next(t);
        if (several) launch__released_wake(next == t);
        if (next != t) {
            launch__wake(next);
            messages_turn_wait();
        }
    } else {
        messages->caller = t->number;
        launch__ring(SERVE);
        messages_turn_wait();
    }
    launch__deeds_take();
}

void messages_flush(void)
{
    messages_task *t = messages_self;
    if (t->of) {
        messages_thread_pause();
        return;
    }
    messages_turn_take();
    launch__turn_pass(t);
    while (t->turn_of) { /* for a progress thread */
        messages_thread_resume(t->turn_of);
        launch__turn_pass(t);
    }
}

/* Hands over a further script, and returns when it is certain, or complete and the task has its turn. */
static void launch__further_pass(messages_task *t)
{
    messages_further_queue();
    t->released = false; /* it needs no waking */
    if (t->ahead) {
        launch__released_wake(true);
        return;
    }
    launch__computed();
    launch__released_wake(false);
    messages_turn_wait();
    launch__deeds_take();
}

void messages_flush_round(void)
{
    messages_task *t = messages_self;
    if (messages_ahead && t->further && !t->has_turn)
        launch__further_pass(t);
    else
        messages_flush_ahead();
    if (messages->cores > 1) messages_in_rounds = t->forked && !t->of;
}

void messages_flush_ahead(void)
{
    messages_in_rounds = false;
    messages_turn_take();
    messages_self->hasty = messages->cores > 1 && messages_self->forked;
    spent.waited = true;
    messages_flush();
}

/*=============================================================================
 * MARK: - >>the launcher
 *===========================================================================*/

static void launch__on_child(int signal)
{
    int error = errno;
    (void)signal;
    launch__ring(CHILD);
    errno = error;
}

/* Signals that end a run: SIGINT, SIGTERM, SIGHUP; not those that were ignored from the start. */
static const int endings[] = { SIGINT, SIGTERM, SIGHUP };
static volatile sig_atomic_t ending; /* the signal that arrived */

static void launch__on_ending(int signal)
{
    int error = errno;
    ending = signal;
    launch__ring(INTERRUPTED);
    errno = error;
}

static void launch__endings_watch(bool launcher)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        struct sigaction action;
        if (sigaction(endings[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN) continue;
        action.sa_handler = launcher ? launch__on_ending : SIG_DFL;
        action.sa_flags = SA_RESTART;
        sigaction(endings[i], &action, NULL);
    }
}

static void launch__children_kill(void)
{
    for (uint32_t i = 0; i < messages->task_count; ++i)
        for (int which = 0; which < 2; ++which) {
            const messages_task *t = messages->tasks[i];
            const pid_t process = which ? t->process : t->forked_as;
            if (process > 0) kill(process, SIGKILL);
        }
    while (waitpid(-1, NULL, 0) > 0) continue;
}

void messages_end(int status, const char *format, ...)
{
    va_list arguments;
    char text[sizeof messages->why];
    if (messages && !is_launcher) messages_turn_take(); /* others may have been earlier */
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fflush(NULL);
    if (!messages || (is_launcher && messages->task_count == 0)) {
        fprintf(stderr, "simkit: %s\n", text);
        _exit(status);
    }
    if (!messages->over) {
        memcpy(messages->why, text, sizeof text);
        messages->status = status;
        messages->over = true;
    }
    if (!is_launcher) {
        launch__ring(OVER);
        for (;;) pause();
    }
    launch__children_kill();
    if (messages->why[0]) {
        fputs("simkit: ", stderr);
        messages_where_print(messages->why, NULL);
        fputc('\n', stderr);
    }
    messages_notes_print();
    _exit(messages->status);
}

/* What a task was doing when a signal ended the run, in the past. */
static const char *launch__doing(const messages_task *t)
{
    return t->ended ? "had ended" : !t->call[0] ? "had not made a call" : t->inside ? "in " : "computing after ";
}

static bool launch__does_the_same(const messages_task *t, const messages_task *other)
{
    const char *doing = launch__doing(t);
    if (doing != launch__doing(other) || strncmp(t->name, other->name, 4) != 0) return false; /* `rank`, `task` */
    return doing[strlen(doing) - 1] != ' ' || strncmp(t->call, other->call, sizeof t->call) == 0;
}

/* Prints the tasks that do the same as this one: `ranks 1 to 5, 8 and 40 others in MPI_Recv`. */
static void launch__group_print(uint32_t first)
{
    enum { RANGES = 3 };
    const messages_task *t = messages->tasks[first];
    uint32_t ranges = 0, shown = 0, count = 0, end;
    for (uint32_t i = first; i < messages->task_count; ++i) count += launch__does_the_same(t, messages->tasks[i]);
    fprintf(stderr, "%.4s%s ", t->name, count > 1 ? "s" : "");
    for (uint32_t i = first; i < messages->task_count && ranges < RANGES; i = end) {
        for (end = i; end < messages->task_count && launch__does_the_same(t, messages->tasks[end]); ++end) continue;
        if (end > i) {
            fprintf(stderr, "%s%u", ranges++ ? ", " : "", i);
            if (end - i > 1) fprintf(stderr, end - i > 2 ? " to %u" : ", %u", end - 1);
            shown += end - i;
        } else {
            ++end;
        }
    }
    if (count > shown) fprintf(stderr, " and %u other%s", count - shown, count - shown > 1 ? "s" : "");
    const char *doing = launch__doing(t);
    fprintf(stderr, " %s%.31s", doing, doing[strlen(doing) - 1] == ' ' ? t->call : "");
}

/* Prints in one line what the tasks were doing, and ends with that signal. Tasks may have been stopped anywhere, also in
 * the engine, so only data that is always consistent is read. */
static void launch__interrupted(void)
{
    enum { GROUPS = 8 };
    uint32_t firsts[GROUPS], groups = 0;
    const double reached = messages_now();
    launch__children_kill();
    fprintf(stderr, "simkit: ended by signal %d, %s, at %.9g s: ", (int)ending, strsignal(ending), reached);
    for (uint32_t i = 0; i < messages->task_count; ++i) {
        uint32_t known = 0;
        while (known < groups && !launch__does_the_same(messages->tasks[firsts[known]], messages->tasks[i])) ++known;
        if (known < groups) continue;
        if (groups > 0) fputs("; ", stderr);
        if (groups == GROUPS) {
            fputs("others elsewhere", stderr);
            break;
        }
        firsts[groups++] = i;
        launch__group_print(i);
    }
    fputc('\n', stderr);
    signal(ending, SIG_DFL);
    raise(ending);
    _exit(128 + ending);
}

static void launch__reaped(messages_task *t, int status)
{
    char how[112], waiting[sizeof messages->why - 512];
    if (t->alone && messages->running != t->number) { /* what others do before in virtual time comes first */
        t->died = true;
        t->status = status;
        messages_lock_free(t);
        return;
    }
    t->process = t->forked_as = 0;
    for (uint32_t i = 0; t->together && i < messages->task_count; ++i) { /* the process was that of others, too */
        messages_task *other = messages->tasks[i];
        if (other->together) other->process = 0;
        if (other->together && !other->final && (t->final || other->number == messages->running)) t = other;
    }
    if (t->final) {
        if (t->parent < 0 && WIFEXITED(status) && WEXITSTATUS(status) != 0 && messages->status == 0)
            messages->status = WEXITSTATUS(status);
        return;
    }
    messages_lock_free(t);
    messages_lock_break();
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "was killed by signal %d, %.64s%s,", WTERMSIG(status), strsignal(WTERMSIG(status)),
                 t->crashed ? messages_where_kept(t) : "");
    else
        snprintf(how, sizeof how, "exited with status %d", WEXITSTATUS(status));
    const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    /* another task may be in the engine, unless this one had the turn */
    const bool alone = messages->running == t->number;
    const double reached = alone ? messages_engine_last(t) : messages_now();
    t->ended = true;
    messages_waiting_text(waiting, sizeof waiting);
    messages_end(code ? code : 1, "%s on %s %s at %.9g s, %s %s%s", t->name, messages->cluster.hosts[t->host].name, how,
                 reached, t->inside ? "in" : "after", t->call[0] ? t->call : "its start", waiting);
}

static void launch__reap(void)
{
    int status;
    if (messages->running >= 0 && messages->tasks[messages->running]->died)
        launch__reaped(messages->tasks[messages->running], messages->tasks[messages->running]->status);
    for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;)
        for (uint32_t i = 0; i < messages->task_count; ++i)
            if (messages->tasks[i]->forked_as == process) {
                launch__reaped(messages->tasks[i], status);
                if (messages->tasks[i]->died) ++postponed;
                break;
            }
}

static bool launch__any_process(void)
{
    for (uint32_t i = 0; i < messages->task_count; ++i)
        if (messages->tasks[i]->forked_as > 0) return true;
    return false;
}

/*=============================================================================
 * MARK: - >>starting others
 *===========================================================================*/

/* Finds a program: beside the one that starts it, in PVM's directories, else in PATH. */
static void launch__program_find(const char *name, char path[PATH_MAX])
{
    const char *home = getenv("HOME"), *arch = getenv("PVM_ARCH");
    char places[3][PATH_MAX], whole[PATH_MAX + 1];
    snprintf(path, PATH_MAX, "%s", name);
    if (strchr(name, '/')) return;
    ssize_t length = readlink("/proc/self/exe", places[0], PATH_MAX - 1);
    places[0][length > 0 ? length : 0] = 0;
    if (length > 0) *strrchr(places[0], '/') = 0;
    snprintf(places[1], PATH_MAX, "%s/pvm3/bin/%s", home ? home : "", arch ? arch : "LINUX64");
    snprintf(places[2], PATH_MAX, "%s/pvm3/bin/LINUX", home ? home : "");
    for (int i = 0; i < 3; ++i) {
        if (snprintf(whole, sizeof whole, "%s/%s", places[i], name) >= PATH_MAX || access(whole, X_OK) != 0) continue;
        strcpy(path, whole);
        return;
    }
}

/* A task's request to start others; it is in the arena. */
typedef struct order {
    int programs, total;
    messages_parents *parents;
    int32_t first;    /* first of the tasks; -1: error */
    int *counts;      /* counts[programs] */
    int32_t *hosts;   /* hosts[total]; NULL: any */
    char ***argvs;    /* argvs[programs], each ends with NULL; its first is the program */
    char **variables; /* of the environment, up to NULL; NULL: none */
} order;

/* Starts a program as a task; returns 0 or an error number. */
static int launch__start_one(messages_task *t, char **argv, char **variables, int file, bool quiet)
{
    int pipe_[2], error = 0;
    if (pipe2(pipe_, O_CLOEXEC) != 0) return errno;
    pid_t process = fork();
    if (process < 0) {
        error = errno;
        close(pipe_[0]);
        close(pipe_[1]);
        return error;
    }
    if (process == 0) {
        char place[64];
        int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (none >= 0) dup2(none, STDIN_FILENO);
        if (quiet) dup2(STDERR_FILENO, STDOUT_FILENO);
        snprintf(place, sizeof place, "%d:%d", file, t->number);
        for (; variables && *variables; ++variables) putenv(*variables);
        setenv("SIMKIT_TASK", place, 1);
        signal(SIGCHLD, SIG_DFL);
        execvp(argv[0], argv);
        error = errno;
        if (write(pipe_[1], &error, sizeof error) < 0) _exit(126);
        _exit(127);
    }
    close(pipe_[1]);
    if (read(pipe_[0], &error, sizeof error) < (ssize_t)sizeof error) error = 0;
    close(pipe_[0]);
    if (error) {
        waitpid(process, NULL, 0);
        return error;
    }
    t->process = t->forked_as = process;
    return 0;
}

static int arena_file = -1;

static void launch__start_asked(void)
{
    messages_arena *a = messages;
    order *o = a->order;
    const messages_task *caller = a->tasks[a->caller];
    int32_t context = a->next_context, first = (int32_t)a->task_count;
    a->next_context += 2;
    o->first = first;
    for (int i = 0, made = 0; i < o->programs && o->first >= 0; ++i)
        for (int k = 0; k < o->counts[i] && o->first >= 0; ++k, ++made) {
            char name[32];
            int32_t host = o->hosts ? messages_host_open(&a->cluster, a->world, o->hosts[made])
                                    : messages_host_for(&a->cluster, a->world, a->task_count);
            snprintf(name, sizeof name, "task %u", a->task_count);
            double begin = a->cluster.hosts[host].initialise; /* the caller has waited for its own startup */
            messages_task *t = messages_task_add(name, host, begin);
            t->world = first;
            t->world_size = o->total;
            t->context = context;
            t->program = i;
            t->parent = caller->number;
            t->parents = o->parents;
            if (launch__start_one(t, o->argvs[i], o->variables, arena_file, !o->parents && !caller->shows) != 0) {
                o->first = -1;
                for (int32_t dead = first; dead <= t->number; ++dead) {
                    messages_task_kill(a->tasks[dead]);
                    a->tasks[dead]->final = a->tasks[dead]->started = true;
                    if (a->tasks[dead]->process > 0) kill(a->tasks[dead]->process, SIGKILL);
                }
            }
        }
    if (o->first >= 0) messages_engine_start();
    launch__wake(a->tasks[a->caller]);
}

int32_t messages_spawn(int programs, const char *const *commands, char *const *const *argvs, const int *counts,
                       const int32_t *hosts, messages_parents *parents, char *const *variables)
{
    order *o = messages_new(sizeof *o);
    o->programs = programs;
    o->parents = parents;
    o->counts = messages_new((size_t)programs * sizeof *o->counts);
    o->argvs = messages_new((size_t)programs * sizeof *o->argvs);
    for (int i = 0; i < programs; ++i) {
        size_t count = 1;
        while (argvs && argvs[i] && argvs[i][count - 1]) ++count;
        o->counts[i] = counts[i];
        o->total += counts[i];
        o->argvs[i] = messages_new((count + 1) * sizeof **o->argvs);
        for (size_t k = 0; k < count; ++k) {
            char place[PATH_MAX];
            if (k == 0) launch__program_find(commands[i], place);
            const char *text = k == 0 ? place : argvs[i][k - 1];
            o->argvs[i][k] = strcpy(messages_new(strlen(text) + 1), text);
        }
    }
    if (variables) {
        size_t count = 0;
        while (variables[count]) ++count;
        o->variables = messages_new((count + 1) * sizeof *o->variables);
        for (size_t i = 0; i < count; ++i)
            o->variables[i] = strcpy(messages_new(strlen(variables[i]) + 1), variables[i]);
    }
    if (hosts) {
        o->hosts = messages_new((size_t)o->total * sizeof *o->hosts);
        memcpy(o->hosts, hosts, (size_t)o->total * sizeof *o->hosts);
    }
    messages_action_add(MESSAGES_SLEEP)->amount = messages->cluster.hosts[messages_self->host].spawn;
    messages_flush();
    messages->order = o;
    messages->caller = messages_self->number;
    launch__ring(START);
    messages_turn_wait();
    return o->first;
}

/* A task that runs ahead may die with the lock, which is known when it is reaped. */
static void launch__lock(void)
{
    const struct timespec step = { 0, 20000 };
    while (!messages_lock_try()) {
        messages_nanosleep(&step, NULL);
        launch__reap();
    }
}

static void launch__launcher_run(void)
{
    for (bool over = false; !over || launch__any_process();) {
        uint32_t why = launch__bell_wait();
        if (ending) launch__interrupted();
        if (messages->over) messages_end(messages->status, "%s", messages->why);
        if (why & CHILD) launch__reap();
        if (why & (START | SERVE)) launch__lock();
        if (why & START) launch__start_asked();
        if (why & SERVE) launch__hand_over(messages->tasks[messages->caller]);
        messages_unlock();
        if (why & OVER) over = true;
    }
    messages_unreceived_note();
    messages_cluster_note(&messages->cluster, messages->costless);
    messages_notes_print();
    messages_report();
    fflush(NULL);
    _exit(messages->status);
}

/*=============================================================================
 * MARK: - >>the process of a task
 *===========================================================================*/

static void (*before_exit)(int status, const char *last) MESSAGES_COMMON;

void messages_before_exit(void (*call)(int status, const char *last))
{
    before_exit = call;
}

/* CPU time of this process is that of all its threads, and is charged as if one of them had used it. */
static void launch__threads_note(const messages_task *t)
{
    const double all = launch__clock_of(CLOCK_PROCESS_CPUTIME_ID), own = launch__clock_of(CLOCK_THREAD_CPUTIME_ID);
    const double others = all - own;
    if (!messages->measure || others < 1e-3 || others < 0.01 * all || !messages_first_thread()) return;
    messages_note_once(MESSAGES_ABOUT_THREADS, NULL,
                       "%s has used %.3g s of its %.3g s of CPU time in other threads: threads of a rank are not "
                       "modelled, their CPU times are charged one after another",
                       t->name, others, all);
}

static void launch__task_end(messages_task *t, int status)
{
    char last[sizeof t->call];
    fflush(NULL);
    memcpy(last, t->call, sizeof last);
    messages_enter("exit");
    launch__threads_note(t);
    if (before_exit) before_exit(status, last);
    messages_action_add(MESSAGES_EXIT);
    t->final = true;
}

static void launch__task_exit(int status, void *unused)
{
    messages_task *t = messages_self;
    (void)unused;
    if (getpid() != t->process) return; /* a child of the task */
    launch__task_end(t, status);
    if (t->forked) {
        launch__hand_over(t);
    } else {
        messages->caller = t->number;
        messages_unlock();
        launch__ring(SERVE);
    }
}

/* A rank has called exit(), on its own stack. The process goes on with the other ranks. */
static void launch__rank_exit(int status, void *unused)
{
    messages_task *t = messages_self;
    (void)unused;
    if (getpid() != t->process || t->final) return;
    if (status != 0 && messages->status == 0) messages->status = status;
    launch__task_end(t, status);
    messages_task *next = messages_engine_next(t);
    if (!next) {
        launch__ring(OVER);
        return;
    }
    launch__wake(next);
    bool others = next->together;
    for (uint32_t i = 0; i < messages->task_count && !others; ++i)
        others = messages->tasks[i]->together && !messages->tasks[i]->ended;
    if (others) messages_turn_wait(); /* never returns, because this task gets no turn */
}

/* A task crashes, or the launcher wants to know where it is: its stack shows it. */
static void launch__on_crash(int number)
{
    static volatile sig_atomic_t before;
    messages_task *t = messages_self;
    if (t && getpid() == t->process && !before) { /* not the launcher, nor a child of the task */
        before = 1;
        messages_stack_keep();
        __atomic_store_n(&t->crashed, true, __ATOMIC_SEQ_CST);
    }
    while (t && t->asked) pause(); /* until the launcher ends the run */
    signal(number, SIG_DFL);
    raise(number);
}

/* Looks at crashes, unless the program or a sanitizer does. The stack of the task may have overflowed. */
static void launch__crashes_watch(void)
{
    static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
    static void *room; /* not static itself: ranks that share a process would compare it at each change */
    enum { ROOM = 65536 };
    messages_stack_prepare();
    room = malloc(ROOM);
    const stack_t own = { .ss_sp = room, .ss_size = ROOM };
    if (room) sigaltstack(&own, NULL);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; ++i) {
        struct sigaction action;
        if (sigaction(crashes[i], NULL, &action) != 0 || action.sa_handler != SIG_DFL) continue;
        action.sa_handler = launch__on_crash;
        action.sa_flags = SA_ONSTACK | SA_NODEFER;
        sigaction(crashes[i], &action, NULL);
    }
}

static void launch__process_begin(void)
{
    is_launcher = false;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

static void launch__turn_first(void)
{
    if (&messages_asks_for_loads && !messages->cluster.loads) messages_action_add(MESSAGES_LOADS);
    launch__processor_read();
    spent.left = launch__clock_of(CLOCK_MONOTONIC);
}

static void launch__task_begin(messages_task *t)
{
    messages_self = t;
    launch__process_begin();
    if (on_exit(launch__task_exit, NULL) != 0) messages_end(1, "%s: no memory to start it", t->name);
    messages_turn_wait();
    launch__turn_first();
    messages_unlock();
    spent.waited = true;
}

/* The arguments of main(), for ranks that share a process. */
static struct {
    int argc;
    char **argv, **environment;
} arguments;

extern int main(int argc, char **argv, char **environment) __attribute__((weak));

/* A rank begins on its own stack. Programs may change the words of their arguments. */
static void launch__rank_begin(messages_task *t)
{
    char **argv = calloc((size_t)arguments.argc + 1, sizeof *argv);
    messages_self = t;
    for (int i = 0; argv && i < arguments.argc; ++i) argv[i] = strdup(arguments.argv[i]);
    if (!argv || on_exit(launch__rank_exit, NULL) != 0) messages_end(1, "%s: no memory to start it", t->name);
    launch__turn_first();
    exit(main(arguments.argc, argv, arguments.environment));
}

void messages_launch_together(int argc, char **argv, char **environment)
{
    arguments.argc = argc;
    arguments.argv = argv;
    arguments.environment = environment;
    thread_only = &thread_own;
    launch__turn_wait(&messages->tasks[0]->turn);
    messages_together_run(messages->tasks[messages->running], launch__rank_begin);
}

/* A whole number from an environment variable, or its default. */
static long launch__number_of(const char *name, long least, long most, long unset)
{
    const char *text = getenv(name);
    char *end;
    if (!text) return unset;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < least || value > most)
        messages_end(2, "%s=%s: expected a whole number from %ld to %ld", name, text, least, most);
    return value;
}

/* A time from an environment variable, > 0 or >= 0, or its default [s]. */
static double launch__seconds_of(const char *name, bool positive, double unset)
{
    const char *text = getenv(name);
    char *end;
    if (!text) return unset;
    const double value = strtod(text, &end);
    if (end == text || *end || !(positive ? value > 0 : value >= 0))
        messages_end(2, "%s=%s: expected a number of seconds %s 0", name, text, positive ? ">" : ">=");
    return value;
}

/* Reads the background users, from SIMKIT_USERS or the machine file. */
static void launch__users_load(void)
{
    messages_cluster *c = &messages->cluster;
    const char *path = getenv("SIMKIT_USERS");
    simkit_input input = { .path = path ? path : c->users, .memory.reallocate = messages_reallocate };
    simkit_parse_error error;
    if (!*input.path || strcmp(input.path, "none") == 0) return;
    if (!path) input.beside = getenv("SIMKIT_MACHINES");
    if (simkit_population_read(&input, &c->population, &error) != SIMKIT_OK) messages_end(2, "%s", error.text);
}

static void launch__prepare(char **argv)
{
    const char *const settings[][2] = {
        { "SIMKIT_PREPARED", "1" },
        { "OPENBLAS_NUM_THREADS", "1" },
        { "OMP_NUM_THREADS", "1" },
        { "OMP_WAIT_POLICY", "passive" },            /* spinning would be charged */
        { "GFORTRAN_UNBUFFERED_PRECONNECTED", "y" }, /* output in the order of virtual time */
    };
    if (getenv("SIMKIT_PREPARED")) {
        unsetenv("SIMKIT_PREPARED");
        return;
    }
    for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i)
        if (setenv(settings[i][0], settings[i][1], 0) !=
            0) /* without the first setting the program would restart for ever */
            messages_end(1, "%s cannot be set: %s", settings[i][0], strerror(errno));
    personality(ADDR_NO_RANDOMIZE); /* if refused, addresses differ between runs, which is harmless */
    execv("/proc/self/exe", argv);
    unsetenv("SIMKIT_PREPARED");
}

/* A program whose ranks follow those of the launcher's own, and its arguments. */
typedef struct extra {
    long ranks;
    char **argv; /* up to NULL */
} extra;

/* Reads a word up to a blank, writes it to `text` and returns the text after it. A backslash quotes a character; `\0` is
 * an empty word. */
static char *launch__word_read(const char **from, char *text)
{
    const char *at = *from;
    for (; *at && *at != ' '; ++at) {
        if (*at == '\\' && at[1] && *++at == '0') continue;
        *text++ = *at;
    }
    *text++ = 0;
    *from = at + strspn(at, " ");
    return text;
}

/* Reads SIMKIT_PROGRAMS, `RANKS PROGRAM ARGUMENT... : RANKS PROGRAM ARGUMENT...`. Returns the programs, and one without
 * ranks after them. They live as long as the launcher. */
static extra *launch__extras_read(void)
{
    const char *given = getenv("SIMKIT_PROGRAMS"), *at = given ? given + strspn(given, " ") : "";
    const size_t length = strlen(at);
    extra *all = calloc(length / 4 + 2, sizeof *all);
    char **words = calloc(length + 2, sizeof *words), *text = malloc(length + 2);
    if (!all || !words || !text) messages_end(1, "no memory for the programs of SIMKIT_PROGRAMS");
    for (size_t count = 0; *at; ++count) {
        char *word = text, *end;
        text = launch__word_read(&at, text);
        const long ranks = strtol(word, &end, 10);
        char **argv = words;
        while (*at && strncmp(at, ": ", 2) != 0) {
            *words++ = text;
            text = launch__word_read(&at, text);
        }
        ++words; /* it stays NULL */
        if (end == word || *end || ranks < 1 || ranks > MESSAGES_MOST_TASKS || !*argv)
            messages_end(2, "SIMKIT_PROGRAMS=%s: expected RANKS PROGRAM ARGUMENTS, separated by ' : '", given);
        all[count].ranks = ranks;
        all[count].argv = argv;
        if (*at) at += 2;
    }
    unsetenv("SIMKIT_PROGRAMS");
    return all;
}

/* Whether the ranks share one process, as SIMKIT_RANKS says. */
static bool launch__together(void)
{
    const char *ranks = getenv("SIMKIT_RANKS");
    if (!ranks || strcmp(ranks, "processes") == 0) return false;
    if (strcmp(ranks, "together") != 0) messages_end(2, "SIMKIT_RANKS=%s: expected processes or together", ranks);
    if (messages->cores > 1)
        messages_end(2, "SIMKIT_CORES=%s: ranks that share a process (SIMKIT_RANKS=together) use one core",
                     getenv("SIMKIT_CORES"));
    const char *impossible = messages_together_impossible();
    if (impossible) messages_end(2, "SIMKIT_RANKS=together: ranks cannot share a process: %s", impossible);
    return true;
}

#define TOGETHER "; with SIMKIT_RANKS=together all ranks are in one process"

/* A number from a file of the system; -1: it is not there, or unlimited. */
static long launch__limit_of(const char *path)
{
    long value = -1;
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%ld", &value) != 1) value = -1;
    if (f) fclose(f);
    return value;
}

/* The file with the maximum number of processes in this control group, if there is one. */
static void launch__group_file(char *path, size_t room)
{
    char line[256];
    FILE *f = fopen("/proc/self/cgroup", "re");
    path[0] = 0;
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "0::", 3) == 0) snprintf(path, room, "/sys/fs/cgroup%s/pids.max", line + 3);
    }
    if (f) fclose(f);
}

/* The limits of the number of processes, and how to raise them. */
static void launch__limits_say(char *text, size_t room)
{
    static const char *const names[] = { "pid_max", "threads-max" };
    struct rlimit own;
    size_t used = 0;
    char path[320];
    long value;
    text[0] = 0;
    if (getrlimit(RLIMIT_NPROC, &own) == 0 && own.rlim_cur != RLIM_INFINITY)
        used += (size_t)snprintf(text, room, ", 'ulimit -u' is %llu", (unsigned long long)own.rlim_cur);
    for (size_t i = 0; i < sizeof names / sizeof *names && used < room; ++i) {
        snprintf(path, sizeof path, "/proc/sys/kernel/%s", names[i]);
        if ((value = launch__limit_of(path)) >= 0)
            used += (size_t)snprintf(text + used, room - used, ", 'sysctl kernel.%s' is %ld", names[i], value);
    }
    launch__group_file(path, sizeof path);
    if (path[0] && (value = launch__limit_of(path)) >= 0 && used < room)
        snprintf(text + used, room - used, ", %s is %ld", path, value);
}

/* So that not thousands of processes are started in vain. */
static void launch__processes_check(long tasks)
{
    const long most = launch__limit_of("/proc/sys/kernel/pid_max");
    if (most >= 0 && tasks >= most)
        messages_end(2,
                     "%ld ranks are as many processes, but kernel.pid_max is %ld: 'sysctl -w kernel.pid_max=4194304' "
                     "raises it" TOGETHER,
                     tasks, most);
}

/* The processors that this process may use, and -1 after them. */
static int *launch__processors_find(void)
{
    cpu_set_t allowed;
    int *all = malloc((CPU_SETSIZE + 2) * sizeof *all), found = 0;
    if (!all) messages_end(1, "no memory for the numbers of processors");
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (int i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET((size_t)i, &allowed)) all[found++] = i;
    all[found] = all[found + 1] = -1;
    return all;
}

static void launch__cores_prepare(const int *processors)
{
    messages_arena *a = messages;
    int found = 0;
    while (found < a->cores && processors[found] >= 0) ++found;
    a->cores = found;
    a->processors = messages_new((size_t)found * sizeof *a->processors);
    a->computes = messages_new((size_t)found * sizeof *a->computes);
    memcpy(a->processors, processors, (size_t)found * sizeof *a->processors);
}

static void launch__start_all(long tasks, const extra *extras)
{
    messages_arena *a = messages;
    const bool together = launch__together();
    int *processors = launch__processors_find(), none = tasks > 1 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
    /* Two tasks spin on two processors for their turn. More share one processor, because waking a task that sleeps
     * on another processor takes ten times as long; unless they are to use several. */
    const bool two = tasks == 2 && processors[1] >= 0 && !extras->ranks && !together;
    if (two)
        a->spins = SPINS;
    else if (a->cores < 2)
        processors[0] = sched_getcpu();
    if (a->cores > 1) launch__cores_prepare(processors);
    if (!together) launch__processes_check(tasks);
    for (long i = 0; i < tasks; ++i) {
        a->tasks[i]->forked = true;
        a->tasks[i]->core = two ? (int)i : 0;
        a->tasks[i]->together = together;
    }
    for (long i = 0; i < (together ? 1 : tasks); ++i) {
        messages_task *t = a->tasks[i];
        const pid_t process = fork(); /* the task is in shared memory, and fork() returns 0 in the child */
        if (process < 0) {
            const int error = errno;
            char limits[256];
            launch__limits_say(limits, sizeof limits);
            messages_end(1, "task %ld of %ld cannot be started: %s; each is a process%s" TOGETHER, i, tasks,
                         strerror(error), limits);
        }
        if (process > 0) {
            t->process = t->forked_as = process;
            continue;
        }
        for (long k = 0; k < (together ? tasks : 1); ++k) a->tasks[i + k]->process = getpid();
        signal(SIGCHLD, SIG_DFL);
        launch__endings_watch(false);
        launch__pin(0, processors[two ? i : 0]);
        if (i > 0 && none >= 0) dup2(none, STDIN_FILENO);
        if (together)
            launch__process_begin(); /* messages_launch_together() follows */
        else
            launch__task_begin(t);
        return;
    }
    if (none >= 0) close(none);
    launch__pin(0, processors[0]);
    for (long i = tasks; extras->ranks; ++extras)
        for (long k = 0; k < extras->ranks; ++k, ++i) {
            const int error = launch__start_one(a->tasks[i], extras->argv, NULL, arena_file, false);
            if (error) messages_end(2, "rank %ld: %s cannot be started: %s", i, extras->argv[0], strerror(error));
        }
    messages_lock();
    messages_engine_start();
    launch__hand_over(NULL);
    launch__launcher_run();
}

/* Runs in the process of a task that the launcher started. */
static void launch__join(const char *task)
{
    int file, number;
    if (sscanf(task, "%d:%d", &file, &number) != 2 || !messages_arena_map(file)) {
        fprintf(stderr, "simkit: SIMKIT_TASK=%s: only the launcher may set this variable\n", task);
        _exit(2);
    }
    unsetenv("SIMKIT_TASK");
    messages->tasks[number]->process = getpid();
    launch__crashes_watch();
    launch__task_begin(messages->tasks[number]);
}

static void launch__arena_make(void)
{
    size_t space = MESSAGES_ADDRESS_SPACE;
    if (!messages_arena_make(&space, &arena_file))
        messages_end(
            1, "no shared memory for messages: %s; %.3g GiB must be mapped, of which only used pages take memory%s",
            strerror(errno), (double)space / (double)((size_t)1 << 30),
            errno == EFBIG                   ? ", but the file size is limited (ulimit -f)"
            : space < MESSAGES_ADDRESS_SPACE ? ": half of the limit on address space (ulimit -v), expected at least 64 "
                                               "MiB; type 'ulimit -v unlimited', "
                                               "or 'ulimit -v 262144' or more"
                                             : "");
    messages->running = -1;
    messages->next_context = 6;
}

static messages_warnings launch__warnings_of(const char *text)
{
    static const char *const words[] = { "none", "usual", "all" };
    for (int i = 0; text && i < 3; ++i)
        if (strcmp(text, words[i]) == 0) return (messages_warnings)i;
    if (text) messages_end(2, "SIMKIT_WARNINGS=%s: expected usual, all or none", text);
    return MESSAGES_USUAL_WARNINGS;
}

/* Of SIMKIT_CORES. */
static int launch__cores_of(const char *text)
{
    char *end;
    if (!text) return 1;
    if (strcmp(text, "all") == 0) return CPU_SETSIZE;
    const long cores = strtol(text, &end, 10);
    if (end == text || *end || cores < 1 || cores > CPU_SETSIZE)
        messages_end(2, "SIMKIT_CORES=%s: expected a whole number from 1 to %d, or all", text, CPU_SETSIZE);
    return (int)cores;
}

static void launch__settings_read(void)
{
    const char *compute = getenv("SIMKIT_COMPUTE");
    if (compute && strcmp(compute, "none") != 0 && strcmp(compute, "measured") != 0)
        messages_end(2, "SIMKIT_COMPUTE=%s: expected measured or none", compute);
    messages->measure = !compute || strcmp(compute, "none") != 0;
    if (messages_algorithms_read) messages_algorithms_read();
    messages_report_check();
    if (getenv("SIMKIT_TRACE")) messages_log_open();
    messages->shared_file = messages_memory_file("simkit skeleton");
    if (messages->shared_file < 0 || ftruncate(messages->shared_file, 1 << 20) != 0)
        messages_end(1, "no shared memory for skeletons: %s", strerror(errno));
    messages->cores = launch__cores_of(getenv("SIMKIT_CORES"));
    messages->worth = launch__seconds_of("SIMKIT_AHEAD", false, WORTH);
    messages->polls_most = (uint64_t)launch__number_of("SIMKIT_POLLS", 0, LONG_MAX, MOST_POLLS);
    messages->time_limit = launch__seconds_of("SIMKIT_TIME_LIMIT", true, (double)INFINITY);
    messages->patience = launch__seconds_of("SIMKIT_PATIENCE", true, 0);
    messages->warnings = launch__warnings_of(getenv("SIMKIT_WARNINGS"));
    const char *wrong = messages_cluster_load(getenv("SIMKIT_MACHINES"), &messages->cluster);
    if (wrong) messages_end(2, "%s", wrong);
    const char *how = getenv("SIMKIT_PLACE");
    wrong = how && *how ? messages_cluster_place(&messages->cluster, how) : NULL;
    if (wrong) messages_end(2, "%s", wrong);
    launch__users_load();
    messages->cluster.loads = messages->cluster.population || &messages_asks_for_loads;
}

static void launch__world_open(void)
{
    simkit_world_desc desc;
    netmodel_topology topology;
    memset(&desc, 0, sizeof desc);
    desc.memory.reallocate = messages_reallocate;
    messages_world_describe(&messages->cluster, &topology, &desc);
    desc.seed = (uint64_t)launch__number_of("SIMKIT_SEED", 0, LONG_MAX, 0);
    if (simkit_world_open(&desc, &messages->world) != SIMKIT_OK) messages_end(1, "no memory for a world");
    if (messages->log && messages->cluster.population) messages_log_users();
    if (messages->cluster.population && !messages->cluster.unlimited)
        messages_hosts_open(&messages->cluster, messages->world);
    messages_network_open(&messages->cluster, messages->world);
}

/* Runs in the process that the user started. */
static void launch__begin(char **argv)
{
    is_launcher = true;
    launch__prepare(argv);
    const long tasks = launch__number_of("SIMKIT_NP", 1, MESSAGES_MOST_TASKS, 1);
    const extra *extras = launch__extras_read();
    long all = tasks;
    for (const extra *one = extras; one->ranks; ++one) all += one->ranks;
    if (all > MESSAGES_MOST_TASKS)
        messages_end(2, "%ld ranks of all programs, expected up to %d", all, MESSAGES_MOST_TASKS);
    launch__arena_make();
    launch__settings_read();
    launch__world_open();
    for (long i = 0; i < all; ++i) {
        char name[32];
        int32_t host = messages_host_for(&messages->cluster, messages->world, (size_t)i);
        snprintf(name, sizeof name, "rank %ld", i);
        messages_task *t = messages_task_add(name, host, messages->cluster.hosts[host].initialise);
        t->world_size = (int32_t)all;
        t->context = 4;
        for (long first = tasks, k = 0; i >= first; first += extras[k++].ranks) ++t->program;
    }
    launch__crashes_watch(); /* before the forks, which then share its memory */
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = launch__on_child;
    action.sa_flags = SA_NOCLDSTOP | SA_RESTART;
    sigaction(SIGCHLD, &action, NULL);
    launch__endings_watch(true);
    launch__start_all(tasks, extras);
}

/* Once in a process: a program and its shared libraries may each have a copy of this file, and all of them call the same
 * messages_launch(). */
void messages_launch(char **argv)
{
    static bool launched;
    const char *task = getenv("SIMKIT_TASK");
    if (launched) return;
    launched = true;
    if (messages_arena_exists()) /* made by another copy, which would not know of the calls to this one */
        messages_end(2, "%s loads a library that simcc has linked with a second copy of MPI: link %s with -rdynamic",
                     program_invocation_short_name, program_invocation_short_name);
    prctl(PR_SET_NAME, program_invocation_short_name); /* launch__prepare() has changed it to that of a link */
    if (task)
        launch__join(task);
    else
        launch__begin(argv);
}
