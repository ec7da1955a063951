/* launch.c - starts tasks and gives them turns. Before main() begins, a program becomes a launcher and its tasks:
 * processes, of which one has the turn. The launcher sleeps until a task has ended, asks for another one, or cannot
 * run the engine itself. */
#define _GNU_SOURCE
#include "engine.h"
#include "launch.h"
#include "turns.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SPINS 20000
#define SPIN_DELAY "2e-7" /* [s]: 0.05 to 0.2 us between cores of the processors here */

static int postponed; /* number of tasks that have died while they ran ahead of their turns */

/*=============================================================================
 * MARK: - >>the first message of a connection
 *===========================================================================*/

/* A task has died while it ran ahead of its turn, and has its turn now. */
static bool launch__has_died(const messages_task *t)
{
    return t->ahead && t->ahead->died;
}

/* The state of the process of a task in words, as /proc has it. */
static const char *launch__process_doing(const messages_task *t)
{
    static char text[64];
    char call[40];
    switch (direct_state(t->base.process, 0)) {
    case 'T': return "is stopped by a signal";
    case 't': return "is stopped by a debugger";
    case 'R': return "computes";
    case 'D': return "waits for a disk or the like";
    case 'S':
        if (direct_waits_in(&t->base, call, sizeof call) < 0) return "waits for the system, as in a read or a sleep";
        snprintf(text, sizeof text, "waits in %s", call);
        return text;
    default: return "runs";
    }
}

/* The line at which a task is that is in no call, as a mark; empty: unknown. The task does not go on. */
static const char *launch__where_computing(messages_task *t)
{
    enum { PATIENCE = 5000 }; /* times 100 us */
    const struct timespec step = { 0, 100000 };
    t->system.asked = true;
    if (kill(t->base.process, SIGABRT) != 0 || kill(t->base.process, SIGCONT) != 0) return "";
    for (int i = 0; i < PATIENCE && !__atomic_load_n(&t->system.crashed, __ATOMIC_SEQ_CST); ++i)
        direct_nanosleep(&step, NULL);
    return t->system.crashed ? messages_where_kept(t) : "";
}

/* Ends the run if the task that has the turn has not made a call for too long, in real time. Looks come after so many seconds. */
static void launch__patience_check(double step)
{
    static direct_watch watched;
    if (messages->running < 0) return;
    messages_task *t = messages->tasks[messages->running];
    direct_watch_look(&watched, &t->base, messages->turns, false, step);
    const double passed = watched.stalled;
    if (passed < messages->patience) return;
    char waiting[sizeof messages->why - 512] = "";
    const char *doing = launch__process_doing(t), *line = t->inside ? "" : launch__where_computing(t);
    if (!t->inside) messages_waiting_text(waiting, sizeof waiting); /* else it may be changing the lists */
    messages_end(
        1,
        "%s on %s, process %d, has not made a call for %.3g s of real time (--patience or SIMKIT_PATIENCE sets the "
        "limit): it %s%s, %s %s at %.9g s%s",
        t->name, messages->cluster.hosts[t->host].name, (int)t->base.process, passed, doing,
        line[0] ? messages_where_kept(t) : "", t->inside ? "in" : "after", t->call[0] ? t->call : "its start",
        messages_now(), waiting);
}

extern void __tsan_init(void) __attribute__((weak)); /* of a program with ThreadSanitizer */

/* Sleeps until the bell rings; with a limit of real time, also now and then to check it. ThreadSanitizer keeps a signal until the program
 * makes a call that it knows, such as sigprocmask(): only then the handler rings. */
static void launch__bell_sleep(uint32_t *bell)
{
    const double tsan_step = 0.02, patience = messages->patience / 8 < 1 ? messages->patience / 8 : 1;
    const double step = postponed > 0 ? 1e-3 : &__tsan_init ? tsan_step : patience;
    struct timespec time = { (time_t)step, (long)((step - (double)(time_t)step) * 1e9) };
    if (messages->patience > 0 && !messages->over) launch__patience_check(step);
    direct_futex(bell, FUTEX_WAIT, MESSAGES_BELL_SLEEPS, step > 0 ? &time : NULL);
    sigset_t blocked;
    if (&__tsan_init) sigprocmask(SIG_BLOCK, NULL, &blocked);
    const int32_t running = __atomic_load_n(&messages->running, __ATOMIC_SEQ_CST);
    if (postponed > 0 && running >= 0 && launch__has_died(messages->tasks[running])) messages_ring(MESSAGES_BELL_CHILD);
}

/* Waits until the launcher is needed. */
static uint32_t launch__bell_wait(void)
{
    uint32_t *bell = &messages->bell, why;
    while ((why = __atomic_load_n(bell, __ATOMIC_ACQUIRE)) == 0 || why == MESSAGES_BELL_SLEEPS) {
        uint32_t silent = 0;
        if (why == 0 && !__atomic_compare_exchange_n(bell, &silent, MESSAGES_BELL_SLEEPS, false, __ATOMIC_SEQ_CST,
                                                     __ATOMIC_SEQ_CST))
            continue;
        launch__bell_sleep(bell);
    }
    return __atomic_exchange_n(bell, 0, __ATOMIC_SEQ_CST) & ~(uint32_t)MESSAGES_BELL_SLEEPS;
}

/*=============================================================================
 * MARK: - >>the launcher
 *===========================================================================*/

static void launch__on_child(int signal)
{
    int error = errno;
    (void)signal;
    messages_ring(MESSAGES_BELL_CHILD);
    errno = error;
}

/* Signals that end a run: SIGINT, SIGTERM, SIGHUP; not those that were ignored from the start. */
static const int endings[] = { SIGINT, SIGTERM, SIGHUP };
static volatile sig_atomic_t ending; /* the signal that arrived */

static void launch__on_ending(int signal)
{
    int error = errno;
    ending = signal;
    messages_ring(MESSAGES_BELL_INTERRUPTED);
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
            const pid_t process = which ? t->base.process : t->system.forked_as;
            if (process > 0) kill(process, SIGKILL);
        }
    while (waitpid(-1, NULL, 0) > 0) continue;
}

/* The run is over, and the launcher with it. */
static __attribute__((noreturn)) void launch__report(void)
{
    messages_cluster_note(&messages->cluster, messages->counted.costless);
    messages_notes_print();
    messages_report();
    fflush(NULL);
    _exit(messages->status);
}

/* The launcher ends, and all tasks with it. */
void messages_launcher_end(void)
{
    launch__children_kill();
    if (messages->why[0]) {
        fputs("simkit: ", stderr);
        messages_where_print(messages->why, NULL);
        fputc('\n', stderr);
    }
    if (!messages->aborted) {
        messages_notes_print();
        _exit(messages->status);
    }
    for (uint32_t i = 0; i < messages->task_count; ++i) direct_lock_free(messages->tasks[i]->number + 1);
    direct_lock_break();
    for (uint32_t i = 0; i < messages->task_count; ++i) messages_task_kill(messages->tasks[i]);
    launch__report();
}

/* The state of a task in words, in the past tense, when a signal ended the run. */
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

/* The first status other than 0 is that of the run. Spawned tasks do not count. */
static void launch__status_note(const messages_task *t, int status)
{
    if (t->family.parent < 0 && messages->status == 0) messages->status = status;
}

/* The end of a task's sentence: ` with status 3`, or nothing. */
static const char *launch__with_status(int status)
{
    static char MESSAGES_COMMON text[32];
    text[0] = 0;
    if (status != 0) snprintf(text, sizeof text, " with status %d", status);
    return text;
}

/* A task ends in a way that has to be told. */
static void launch__end_note(const messages_task *t, int status, const char *left_out, const char *last)
{
    messages_note_add(-1, 1, NULL, "%s on %s ended%s" MESSAGES_HERE " at %.9g s%s, after %s", t->name,
                      messages->cluster.hosts[t->host].name, launch__with_status(status), messages_now(), left_out,
                      last[0] ? last : "its start");
    launch__status_note(t, status);
}

/* The process of a task that had the turn has ended in a way of which it could not tell: by _exit() in a program that is linked
 * statically. The others go on. */
static void launch__task_gone(messages_task *t, int status)
{
    messages_note_add(-1, 1, NULL, "%s on %s ended%s by _exit(), after %s: its computing since then does not count",
                      t->name, messages->cluster.hosts[t->host].name, launch__with_status(status),
                      t->call[0] ? t->call : "its start");
    launch__status_note(t, status);
    if (messages_running_ahead) messages_running_ahead->taken(t);
    messages_self = t;
    messages_action_add(MESSAGES_EXIT);
    messages_self = NULL;
    t->final = true;
    messages_hand_over(t);
}

static void launch__reaped(messages_task *t, int status)
{
    char how[112], waiting[sizeof messages->why - 512];
    if (t->ahead && t->ahead->alone &&
        messages->running != t->number) { /* what others do before in virtual time comes first */
        t->ahead->died = true;
        t->ahead->status = status;
        direct_lock_free(t->number + 1);
        return;
    }
    t->base.process = t->system.forked_as = 0;
    for (uint32_t i = 0; t->system.together && i < messages->task_count;
         ++i) { /* the process was that of others, too */
        messages_task *other = messages->tasks[i];
        if (other->system.together) other->base.process = 0;
        if (other->system.together && !other->final && (t->final || other->number == messages->running)) t = other;
    }
    if (t->final) {
        if (WIFEXITED(status)) launch__status_note(t, WEXITSTATUS(status)); /* it may have changed since */
        return;
    }
    direct_lock_free(t->number + 1);
    direct_lock_break();
    if (WIFEXITED(status) && messages->running == t->number && t->entered > 0 && !t->inside && !t->system.together) {
        launch__task_gone(t, WEXITSTATUS(status));
        return;
    }
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "was killed by signal %d, %.64s%s,", WTERMSIG(status), strsignal(WTERMSIG(status)),
                 t->system.crashed ? messages_where_kept(t) : "");
    else
        snprintf(how, sizeof how, "exited with status %d%s", WEXITSTATUS(status),
                 t->system.together ? ", and with it all ranks of its process," : "");
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
    if (messages->running >= 0 && launch__has_died(messages->tasks[messages->running]))
        launch__reaped(messages->tasks[messages->running], messages->tasks[messages->running]->ahead->status);
    for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;)
        for (uint32_t i = 0; i < messages->task_count; ++i)
            if (messages->tasks[i]->system.forked_as == process) {
                launch__reaped(messages->tasks[i], status);
                if (launch__has_died(messages->tasks[i])) ++postponed;
                break;
            }
}

static bool launch__any_process(void)
{
    for (uint32_t i = 0; i < messages->task_count; ++i)
        if (messages->tasks[i]->system.forked_as > 0) return true;
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
    t->base.process = t->system.forked_as = process;
    return 0;
}

static int arena_file = -1;

static void launch__start_asked(void)
{
    messages_arena *a = messages;
    order *o = a->order;
    const messages_task *caller = messages_rank_of(a->caller);
    int32_t context = a->next_context, first = (int32_t)a->task_count;
    a->next_context += 2;
    o->first = first;
    for (int i = 0, made = 0; i < o->programs && o->first >= 0; ++i)
        for (int k = 0; k < o->counts[i] && o->first >= 0; ++k, ++made) {
            char name[32];
            int32_t host = o->hosts ? messages_host_open(&a->cluster, direct->world, o->hosts[made])
                                    : messages_host_for(&a->cluster, direct->world, a->task_count);
            snprintf(name, sizeof name, "task %u", a->task_count);
            double begin = a->cluster.hosts[host].initialise; /* the caller has waited for its own startup */
            messages_task *t = messages_task_add(name, host, begin);
            messages_host_joined(&a->cluster, host);
            t->family.world = first;
            t->family.world_size = o->total;
            t->family.context = context;
            t->family.program = i;
            t->family.parent = caller->number;
            t->family.parents = o->parents;
            if (launch__start_one(t, o->argvs[i], o->variables, arena_file, !o->parents && !caller->family.shows) !=
                0) {
                o->first = -1;
                for (int32_t dead = first; dead <= t->number; ++dead) {
                    messages_task_kill(a->tasks[dead]);
                    a->tasks[dead]->final = a->tasks[dead]->started = true;
                    if (a->tasks[dead]->base.process > 0) kill(a->tasks[dead]->base.process, SIGKILL);
                }
            }
        }
    if (o->first >= 0) messages_engine_start();
    messages_turn_give(a->caller);
}

int32_t messages_spawn(int programs, const char *const *commands, char *const *const *argvs, const int *counts,
                       const int32_t *hosts, messages_parents *parents, char *const *variables)
{
    order *o = direct_new(sizeof *o);
    o->programs = programs;
    o->parents = parents;
    o->counts = direct_new((size_t)programs * sizeof *o->counts);
    o->argvs = direct_new((size_t)programs * sizeof *o->argvs);
    for (int i = 0; i < programs; ++i) {
        size_t count = 1;
        while (argvs && argvs[i] && argvs[i][count - 1]) ++count;
        o->counts[i] = counts[i];
        o->total += counts[i];
        o->argvs[i] = direct_new((count + 1) * sizeof **o->argvs);
        for (size_t k = 0; k < count; ++k) {
            char place[PATH_MAX];
            if (k == 0) launch__program_find(commands[i], place);
            const char *text = k == 0 ? place : argvs[i][k - 1];
            o->argvs[i][k] = strcpy(direct_new(strlen(text) + 1), text);
        }
    }
    if (variables) {
        size_t count = 0;
        while (variables[count]) ++count;
        o->variables = direct_new((count + 1) * sizeof *o->variables);
        for (size_t i = 0; i < count; ++i) o->variables[i] = strcpy(direct_new(strlen(variables[i]) + 1), variables[i]);
    }
    if (hosts) {
        o->hosts = direct_new((size_t)o->total * sizeof *o->hosts);
        memcpy(o->hosts, hosts, (size_t)o->total * sizeof *o->hosts);
    }
    messages_action_add(MESSAGES_SLEEP)->amount = messages->cluster.hosts[messages_self->host].spawn;
    messages_flush();
    messages_task *self = messages_self;
    messages->order = o;
    messages->caller = self;
    messages_ring(MESSAGES_BELL_START);
    messages_turn_wait(self);
    return o->first;
}

/* A task that runs ahead may die with the lock, which is known when it is reaped. */
static void launch__lock(void)
{
    const struct timespec step = { 0, 20000 };
    while (!direct_lock_try()) {
        direct_nanosleep(&step, NULL);
        launch__reap();
    }
}

static void launch__launcher_run(void)
{
    for (bool over = false; !over || launch__any_process();) {
        uint32_t why = launch__bell_wait();
        if (ending) launch__interrupted();
        if (messages->over) messages_launcher_end();
        if (why & MESSAGES_BELL_CHILD) launch__reap();
        if (why & (MESSAGES_BELL_START | MESSAGES_BELL_SERVE)) launch__lock();
        if (why & MESSAGES_BELL_START) launch__start_asked();
        if (why & MESSAGES_BELL_SERVE) messages_hand_over(messages->caller);
        direct_unlock();
        if (why & MESSAGES_BELL_OVER) over = true;
    }
    messages_unreceived_note();
    launch__report();
}

/*=============================================================================
 * MARK: - >>the process of a task
 *===========================================================================*/

static const char *(*before_exit)(void)MESSAGES_COMMON;

void messages_before_exit(const char *(*call)(void))
{
    before_exit = call;
}

/* CPU time of this process is that of all its threads, and is charged as if one of them had used it. */
static void launch__threads_note(const messages_task *t)
{
    const double all = direct_clock(CLOCK_PROCESS_CPUTIME_ID), own = direct_clock(CLOCK_THREAD_CPUTIME_ID);
    const double others = all - own;
    if (messages_threads || !messages->measure || others < 1e-3 || others < 0.01 * all || !messages_first_thread())
        return;
    messages_note_once(MESSAGES_ABOUT_THREADS, NULL,
                       "%s has used %.3g s of its %.3g s of CPU time in other threads: threads of a rank are not "
                       "modelled, their CPU times are charged one after another",
                       t->name, others, all);
}

static void launch__task_end(messages_task *t, int status)
{
    char last[sizeof t->call];
    memcpy(last, t->call, sizeof last);
    messages_enter("exit");
    launch__threads_note(t);
    const char *left_out = before_exit ? before_exit() : "";
    if (left_out && (status != 0 || left_out[0])) {
        messages_flush(); /* earlier ones first */
        launch__end_note(t, status, left_out, last);
    }
    if (messages_has_threads)
        messages_flush(); /* they go on until then, and must not get a turn when the process is gone */
    messages_action_add(MESSAGES_EXIT);
    t->final = true;
    if (messages_threads) messages_threads->ended();
}

static void launch__task_exits(int status)
{
    messages_task *t = messages_self, *rank = messages_rank_of(t);
    if (getpid() != rank->base.process || rank->final) return; /* a child of the task */
    launch__task_end(rank, status & 255);
    if (rank->system.forked) {
        messages_hand_over(t);
    } else {
        messages->caller = t;
        direct_unlock();
        messages_ring(MESSAGES_BELL_SERVE);
    }
}

static void launch__task_exit(int status, void *unused)
{
    (void)unused;
    fflush(NULL);
    launch__task_exits(status);
}

/* A rank has called exit(), on its own stack. The process goes on with the other ranks. */
static void launch__rank_exit(int status, void *unused)
{
    messages_task *t = messages_self;
    (void)unused;
    if (getpid() != t->base.process || t->final) return;
    fflush(NULL);
    launch__task_end(t, status & 255);
    messages_task *next = messages_engine_next(t);
    if (!next) {
        messages_ring(MESSAGES_BELL_OVER);
        return;
    }
    messages_turn_give(next);
    bool others = next->system.together;
    for (uint32_t i = 0; i < messages->task_count && !others; ++i)
        others = messages->tasks[i]->system.together && !messages->tasks[i]->ended;
    if (others) messages_turn_wait(t); /* never returns, because this task gets no turn */
}

/* A task crashes, or the launcher wants to know where it is: its stack shows it. */
static void launch__on_crash(int number)
{
    static volatile sig_atomic_t before;
    messages_task *t = messages_self;
    if (t && getpid() == t->base.process && !before) { /* not the launcher, nor a child of the task */
        before = 1;
        messages_stack_keep(t);
        __atomic_store_n(&t->system.crashed, true, __ATOMIC_SEQ_CST);
    }
    while (t && t->system.asked)
        direct_syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0); /* until the launcher ends the run */
    signal(number, SIG_DFL);
    raise(number);
}

/* Looks at crashes, unless the program or a sanitizer does. The stack of the task may have overflowed. */
static void launch__crashes_watch(void)
{
    static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
    static void *room; /* not static itself: ranks that share a process would compare it at each change */
    enum { ROOM = 65536 };
    direct_sites_prepare();
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

/* In a process that fork() has made of a rank. */
static void launch__child(void)
{
    messages_is_child = true;
}

static void launch__process_begin(void)
{
    pthread_atfork(NULL, NULL, launch__child);
    messages_is_launcher = false;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

static void launch__turn_first(void)
{
    if (&messages_asks_for_loads && !messages->cluster.loads) messages_action_add(MESSAGES_LOADS);
    messages_charge_begin();
}

static void launch__task_begin(messages_task *t)
{
    messages_self = t;
    direct_number = t->number + 1;
    launch__process_begin();
    if (on_exit(launch__task_exit, NULL) != 0) messages_end(1, "%s: no memory to start it", t->name);
    messages_turn_wait(t);
    launch__turn_first();
    direct_unlock();
    if (t->ahead) t->ahead->waited = true;
    messages_threads_attach(t, launch__task_exits);
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
    messages_only_thread();
    (void)direct_turn_wait(&messages->tasks[0]->base.turn, messages->spins);
    messages_threads_hush(true);
    messages_together_run(messages->tasks[messages->running], launch__rank_begin);
}

static void launch__arena_make(void)
{
    size_t space = DIRECT_ADDRESS_SPACE;
    direct_no_memory = messages_no_memory;
    if (!direct_arena_make(sizeof *messages, &space, &arena_file))
        messages_end(
            1, "no shared memory for messages: %s; %.3g GiB must be mapped, of which only used pages take memory%s",
            strerror(errno), (double)space / (double)((size_t)1 << 30),
            errno == EFBIG                 ? ", but the file size is limited (ulimit -f)"
            : space < DIRECT_ADDRESS_SPACE ? ": half of the limit on address space (ulimit -v), expected at least 64 "
                                             "MiB; type 'ulimit -v unlimited', "
                                             "or 'ulimit -v 262144' or more"
                                           : "");
    messages = (messages_arena *)(void *)direct;
    messages->running = -1;
    messages->next_context = 6;
}

/* Changes a variable for the program; keeps: only if it is not set. */
static void launch__set(const char *name, const char *value, bool keeps)
{
    if (setenv(name, value, !keeps) != 0) messages_end(1, "%s cannot be set: %s", name, strerror(errno));
}

/* OpenBLAS makes its threads before main(), when no rank exists yet. It is told to make none, and each rank gives it as many as the user
 * wants. */
static void launch__blas_prepare(void)
{
    static const char *const names[] = { "SIMKIT_THREADS", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",
                                         "OMP_NUM_THREADS" };
    const char *wanted = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !wanted; ++i) wanted = getenv(names[i]);
    if (wanted) launch__set("SIMKIT_BLAS_THREADS", wanted, false);
    launch__set("OPENBLAS_NUM_THREADS", "1", false);
}

/* How many cores hosts have, for shared libraries that look before main(): gcc's OpenMP makes its places then. Where hosts differ, a rank on
 * one of the smallest is meant. */
static void launch__cores_tell(void)
{
    char cores[24];
    uint32_t least = UINT32_MAX;
    launch__arena_make();
    messages_machine_read();
    for (int32_t i = 0; i < (int32_t)messages->cluster.count; ++i)
        if (messages_bound_cores(&messages->cluster, i) < least) least = messages_bound_cores(&messages->cluster, i);
    snprintf(cores, sizeof cores, "%" PRIu32, least);
    launch__set("SIMKIT_HOST_CORES", cores, false);
    fcntl(arena_file, F_SETFD, FD_CLOEXEC);
}

static void launch__prepare(char **argv)
{
    const char *const settings[][2] = {
        { "SIMKIT_PREPARED", "1" },
        { "OMP_NUM_THREADS", "1" },
        { "OMP_WAIT_POLICY", "passive" },            /* spinning would be charged */
        { "GFORTRAN_UNBUFFERED_PRECONNECTED", "y" }, /* output in the order of virtual time */
    };
    if (getenv("SIMKIT_PREPARED")) {
        unsetenv("SIMKIT_PREPARED");
        return;
    }
    const char *compute = getenv("SIMKIT_COMPUTE");
    const bool measured = !compute || strcmp(compute, "none") != 0;
    if (measured && !getenv("OMP_WAIT_POLICY") && !getenv("GOMP_SPINCOUNT") && !getenv("KMP_BLOCKTIME"))
        setenv("SIMTHREADS_SPIN", SPIN_DELAY, 0); /* what threads of OpenMP would take that spin */
    for (size_t i = 0; i < sizeof settings / sizeof *settings;
         ++i) /* without the first one it would restart for ever */
        launch__set(settings[i][0], settings[i][1], true);
    if (getenv("SIMKIT_THREADS")) launch__set("OMP_NUM_THREADS", getenv("SIMKIT_THREADS"), false);
    launch__blas_prepare();
    launch__cores_tell();
    personality(ADDR_NO_RANDOMIZE); /* if refused, addresses differ between runs, which is harmless */
    execv("/proc/self/exe", argv);
    unsetenv("SIMKIT_PREPARED"); /* it goes on as it is */
    fcntl(arena_file, F_SETFD, 0);
    memset(&messages->cluster, 0, sizeof messages->cluster);
}

/* Returns true if the ranks share one process, as SIMKIT_RANKS says. */
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

/* So that not thousands of processes are started in vain. */
static void launch__processes_check(long tasks)
{
    const long most = messages_limit_of("/proc/sys/kernel/pid_max");
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
    direct_syscall(SYS_sched_getaffinity, 0, sizeof allowed, &allowed);
    for (int i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET((size_t)i, &allowed)) all[found++] = i;
    all[found] = all[found + 1] = -1;
    return all;
}

static void launch__cores_prepare(const int *processors)
{
    messages_arena *a = messages;
    int found = 0;
    if (a->cores < 2) return;
    while (found < a->cores && processors[found] >= 0) ++found;
    a->cores = found;
    a->several.processors = direct_new((size_t)found * sizeof *a->several.processors);
    a->several.computes = direct_new((size_t)found * sizeof *a->several.computes);
    memcpy(a->several.processors, processors, (size_t)found * sizeof *a->several.processors);
    direct->several = found > 1;
    if (found > 1) messages_ahead_attach();
}

static void launch__start_all(long tasks, const messages_extra *extras, int *processors, bool together)
{
    messages_arena *a = messages;
    int none = tasks > 1 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
    /* Two tasks spin on two processors for their turn. More share one processor, because waking a task that sleeps
     * on another processor takes ten times as long; unless they are to use several. */
    const bool two = tasks == 2 && processors[1] >= 0 && !extras->ranks && !together;
    if (two)
        a->spins = SPINS;
    else if (a->cores < 2)
        processors[0] = sched_getcpu();
    if (!together) launch__processes_check(tasks);
    for (long i = 0; i < tasks; ++i) {
        a->tasks[i]->system.forked = true;
        if (a->tasks[i]->ahead) a->tasks[i]->ahead->core = two ? (int)i : 0;
        a->tasks[i]->system.together = together;
    }
    for (long i = 0; i < (together ? 1 : tasks); ++i) {
        messages_task *t = a->tasks[i];
        const pid_t process = fork(); /* the task is in shared memory, and fork() returns 0 in the child */
        if (process < 0) {
            const int error = errno;
            char limits[256];
            messages_limits_say(limits, sizeof limits);
            messages_end(1, "task %ld of %ld cannot be started: %s; each is a process%s" TOGETHER, i, tasks,
                         strerror(error), limits);
        }
        if (process > 0) {
            t->base.process = t->system.forked_as = process;
            continue;
        }
        for (long k = 0; k < (together ? tasks : 1); ++k) a->tasks[i + k]->base.process = getpid();
        signal(SIGCHLD, SIG_DFL);
        launch__endings_watch(false);
        messages_pin(0, processors[two ? i : 0]);
        if (i > 0 && none >= 0) dup2(none, STDIN_FILENO);
        if (together)
            launch__process_begin(); /* messages_launch_together() follows */
        else
            launch__task_begin(t);
        return;
    }
    if (none >= 0) close(none);
    messages_pin(0, processors[0]);
    for (long i = tasks; extras->ranks; ++extras)
        for (long k = 0; k < extras->ranks; ++k, ++i) {
            const int error = launch__start_one(a->tasks[i], extras->argv, NULL, arena_file, false);
            if (error) messages_end(2, "rank %ld: %s cannot be started: %s", i, extras->argv[0], strerror(error));
        }
    direct_lock();
    messages_engine_start();
    messages_hand_over(NULL);
    launch__launcher_run();
}

/* Runs in the process of a task that the launcher started. */
static void launch__join(const char *task)
{
    int file, number;
    if (sscanf(task, "%d:%d", &file, &number) != 2 || !direct_arena_map(file)) {
        fprintf(stderr, "simkit: SIMKIT_TASK=%s: only the launcher may set this variable\n", task);
        _exit(2);
    }
    messages = (messages_arena *)(void *)direct;
    direct_no_memory = messages_no_memory;
    unsetenv("SIMKIT_TASK");
    if (messages->cores > 1) messages_ahead_attach();
    messages->tasks[number]->base.process = getpid();
    launch__crashes_watch();
    launch__task_begin(messages->tasks[number]);
}

static void launch__world_open(void)
{
    simkit_world_desc desc;
    netmodel_topology topology;
    memset(&desc, 0, sizeof desc);
    desc.memory.reallocate = direct_reallocate;
    messages_world_describe(&messages->cluster, &topology, &desc);
    desc.seed = (uint64_t)messages_setting_number("SIMKIT_SEED", 0, LONG_MAX, 0);
    if (simkit_world_open(&desc, &direct->world) != SIMKIT_OK) messages_end(1, "no memory for a world");
    if (messages->log && messages->cluster.population) messages_log_users();
    if (messages->cluster.population && !messages->cluster.unlimited)
        messages_hosts_open(&messages->cluster, direct->world);
    messages_network_open(&messages->cluster, direct->world);
}

/* For simrun, which asks before it starts ranks with threads: how many values of the machine file have an error, then a line
 * `HOST CORES RANKS` for each host with ranks. */
static __attribute__((noreturn)) void launch__places_tell(const char *path)
{
    const messages_cluster *c = &messages->cluster;
    FILE *f = fopen(path, "we");
    if (f) fprintf(f, "%u\n", c->machine->errors);
    for (size_t i = 0; i < c->count && f; ++i)
        if (c->hosts[i].tasks > 0)
            fprintf(f, "%s %u %u\n", c->hosts[i].name, c->hosts[i].desc.cores, c->hosts[i].tasks);
    if (!f || fclose(f) != 0) messages_end(2, "SIMKIT_PLACES=%s: %s", path, strerror(errno));
    _exit(0);
}

/* Runs in the process that the user started. */
static void launch__begin(char **argv)
{
    messages_is_launcher = true;
    launch__prepare(argv);
    const long tasks = messages_setting_number("SIMKIT_NP", 1, MESSAGES_MOST_TASKS, 1);
    const messages_extra *extras = messages_extras_read();
    long all = tasks;
    for (const messages_extra *one = extras; one->ranks; ++one) all += one->ranks;
    if (all > MESSAGES_MOST_TASKS)
        messages_end(2, "%ld ranks of all programs, expected up to %d", all, MESSAGES_MOST_TASKS);
    if (!messages) launch__arena_make();
    messages_settings_read();
    const bool together = launch__together();
    int *processors = launch__processors_find();
    launch__cores_prepare(processors);
    launch__world_open();
    for (long i = 0; i < all; ++i) {
        char name[32];
        int32_t host = messages_host_for(&messages->cluster, direct->world, (size_t)i);
        snprintf(name, sizeof name, "rank %ld", i);
        messages_task *t = messages_task_add(name, host, messages->cluster.hosts[host].initialise);
        messages_host_joined(&messages->cluster, host);
        t->family.world_size = (int32_t)all;
        t->family.context = 4;
        for (long first = tasks, k = 0; i >= first; first += extras[k++].ranks) ++t->family.program;
    }
    if (getenv("SIMKIT_PLACES")) launch__places_tell(getenv("SIMKIT_PLACES"));
    launch__crashes_watch(); /* before the forks, which then share its memory */
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = launch__on_child;
    action.sa_flags = SA_NOCLDSTOP | SA_RESTART;
    sigaction(SIGCHLD, &action, NULL);
    launch__endings_watch(true);
    launch__start_all(tasks, extras, processors, together);
}

/* Once in a process: a program and its shared libraries may each have a copy of this file, and all of them call the same
 * messages_launch(). */
void messages_launch(char **argv)
{
    static bool launched;
    const char *task = getenv("SIMKIT_TASK");
    if (launched) return;
    launched = true;
    direct_system_find();
    messages_threads_hush(false);
    if (direct_arena_exists()) /* made by another copy, which would not know of the calls to this one */
        messages_end(2, "%s loads a library that simcc has linked with a second copy of MPI: link %s with -rdynamic",
                     program_invocation_short_name, program_invocation_short_name);
    prctl(PR_SET_NAME, program_invocation_short_name); /* launch__prepare() has changed it to that of a link */
    if (task)
        launch__join(task);
    else
        launch__begin(argv);
}
