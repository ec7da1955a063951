/* real.c - see real.h: the server's side */
#define _DEFAULT_SOURCE
#include "real.h"

#include "programs.h"

#include "../flowgraph/flowgraph.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 512 };

/* The first process of a job. */
typedef struct child {
    pid_t pid;       /* 0: there is none */
    int in, out;     /* our ends of its standard input and output */
    unsigned before; /* nodes at the last point */
    unsigned answer; /* to how many it changes */
    unsigned leaving;
    bool joining, done;
    size_t length;
    char line[LINE];
} child;

typedef enum what { SUBMITS, WAKES, FAILS, REPAIRED } what;

typedef struct timer {
    double time;
    what what;
    uint32_t number; /* of a job or a node */
} timer;

struct real {
    real_desc desc;
    server *server;
    double began, now; /* `now`: time of the current event; the server reads this clock, not the wall clock */
    child *children;   /* children[jobs] */
    timer *timers;     /* timers[timer_count], latest first */
    size_t timer_count, timer_space;
    bool no_memory;
};

static double clock_of(const real *r)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec - r->began;
}

static double now(void *host)
{
    return ((const real *)host)->now;
}

/* Timers of one time are due in the order in which they were added. */
static bool add_timer(real *r, double time, what kind, uint32_t number)
{
    if (r->timer_count == r->timer_space) {
        const size_t space = r->timer_space ? 2 * r->timer_space : 64;
        timer *more = (timer *)realloc(r->timers, space * sizeof *more);
        if (!more) return false;
        r->timers = more;
        r->timer_space = space;
    }
    size_t at = r->timer_count++;
    for (; at > 0 && r->timers[at - 1].time <= time; --at) r->timers[at] = r->timers[at - 1];
    r->timers[at] = (timer){ time, kind, number };
    return true;
}

static server_result wake(void *host, double time)
{
    return add_timer((real *)host, time, WAKES, 0) ? SERVER_OK : SERVER_NO_MEMORY;
}

static void changed(void *host, server_number job, double time)
{
    const real *r = (const real *)host;
    r->desc.changed(r->desc.user, r->server, job, time);
}

/*=============================================================================
 * MARK: - >>processes
 *===========================================================================*/
/* The nodes of the cluster in the order of the job's graph, separated by commas. */
static char *places_text(const real *r, const server_job *j)
{
    const size_t nodes = r->desc.nodes;
    uint32_t *order = (uint32_t *)malloc(nodes * sizeof *order);
    char *text = order ? (char *)malloc(12 * nodes + 1) : NULL, *at = text;
    if (text) program_nodes(j, r->desc.nodes, order);
    for (size_t i = 0; text && i < nodes; ++i) at += sprintf(at, "%s%lu", i > 0 ? "," : "", (unsigned long)order[i]);
    free(order);
    return text;
}

/* Splits a launch command into words; `%d` becomes the number of the node. */
static size_t split_words(const char *launch, uint32_t node, char *room, size_t size, char **words, size_t most)
{
    size_t length = 0, count = 0;
    for (const char *at = launch; *at && length + 16 < size; ++at) {
        if (at[0] == '%' && at[1] == 'd') {
            length += (size_t)snprintf(room + length, size - length, "%lu", (unsigned long)node);
            ++at;
        } else {
            room[length++] = *at;
        }
    }
    room[length] = 0;
    char *save = NULL;
    for (char *word = strtok_r(room, " ", &save); word && count < most; word = strtok_r(NULL, " ", &save))
        words[count++] = word;
    return count;
}

/* In the new process: its ends of the pipes become standard input and output. */
static void become_job(int in, int out, char **words)
{
    setpgid(0, 0); /* so that all processes of the job can be killed at once */
    if (dup2(in, 0) >= 0 && dup2(out, 1) >= 0) execvp(words[0], words);
    fprintf(stderr, "server: cannot start '%s': %s\n", words[0], strerror(errno));
    _exit(127);
}

static bool open_pipe(int ends[2])
{
    if (pipe(ends) != 0) return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static server_result start(void *host, server_number job)
{
    real *r = (real *)host;
    const server_job *j = server_job_of(r->server, job);
    const work *w = (const work *)j->desc.work;
    child *c = &r->children[job];
    char *places = places_text(r, j), first[16], maximum[16], room[1024], *words[80];
    int in[2] = { -1, -1 }, out[2] = { -1, -1 };
    const unsigned most = j->desc.maximum < r->desc.nodes ? j->desc.maximum : r->desc.nodes;
    if (!places) return SERVER_NO_MEMORY;
    snprintf(first, sizeof first, "%u", j->nodes);
    snprintf(maximum, sizeof maximum, "%u", most);
    size_t count = r->desc.launch ? split_words(r->desc.launch, j->home, room, sizeof room, words, 60) : 0;
    const char *const rest[] = { r->desc.program,
                                 "--job",
                                 w->program,
                                 w->arguments ? w->arguments : "",
                                 places,
                                 first,
                                 maximum,
                                 r->desc.machine ? r->desc.machine : "",
                                 r->desc.launch ? r->desc.launch : "",
                                 r->desc.address ? r->desc.address : "" };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; ++i) words[count++] = (char *)(uintptr_t)rest[i];
    words[count] = NULL;
    const bool piped = open_pipe(in) && open_pipe(out);
    fflush(NULL);
    c->pid = piped ? fork() : -1;
    if (c->pid == 0) become_job(in[0], out[1], words);
    if (c->pid > 0) setpgid(c->pid, c->pid);
    if (in[0] >= 0) close(in[0]);
    if (out[1] >= 0) close(out[1]);
    free(places);
    c->in = in[1];
    c->out = out[0];
    if (c->pid > 0) return SERVER_OK;
    c->pid = 0;
    if (c->in >= 0) close(c->in);
    if (c->out >= 0) close(c->out);
    return SERVER_NO_MEMORY;
}

/* Ends the processes of a job at once. */
static void kill_job(child *c)
{
    if (c->pid == 0) return;
    kill(-c->pid, SIGKILL);
    while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR) continue;
    close(c->in);
    close(c->out);
    c->pid = 0;
}

/*=============================================================================
 * MARK: - >>talk
 *===========================================================================*/
static void resized(real *r, server_number job)
{
    child *c = &r->children[job];
    c->joining = false;
    server_tell_resized(r->server, job, c->answer);
}

/* Answers with the nodes that the job has from now on. */
static void at_point(real *r, server_number job, unsigned iteration)
{
    child *c = &r->children[job];
    char *answer = (char *)malloc((size_t)r->desc.nodes + 8);
    unsigned keeps = server_job_of(r->server, job)->nodes;
    if (c->leaving > 0) keeps = c->answer; /* one change at a time */
    if (c->leaving == 0 && !c->joining && server_job_of(r->server, job)->desc.kind == SERVER_MALLEABLE) {
        c->before = keeps;
        keeps = c->answer = server_tell_point(r->server, job, iteration);
        c->leaving = c->answer < c->before ? c->before - c->answer : 0;
        c->joining = c->answer > c->before;
    }
    if (!answer) {
        r->no_memory = true;
        return;
    }
    const server_job *j = server_job_of(r->server, job);
    snprintf(answer, 7, "nodes ");
    memset(answer + 6, '0', r->desc.nodes);
    for (uint32_t k = 0; k < j->range_count; ++k)
        for (uint32_t n = j->ranges[k].first; n < j->ranges[k].first + j->ranges[k].count; ++n)
            if (server_keeps(r->server, job, n, keeps)) answer[6 + n] = '1';
    answer[6 + r->desc.nodes] = '\n';
    const size_t length = 7 + (size_t)r->desc.nodes;
    if (write(c->in, answer, length) != (ssize_t)length) kill(-c->pid, SIGKILL); /* it is gone, or does not listen */
    free(answer);
}

/* A line from a job. */
static void take_line(real *r, server_number job)
{
    child *c = &r->children[job];
    unsigned number;
    if (sscanf(c->line, "point %u", &number) == 1) {
        at_point(r, job, number);
    } else if (strcmp(c->line, "changed") == 0) {
        if (c->joining) resized(r, job);
    } else if (sscanf(c->line, "left %u", &number) == 1) {
        if (c->leaving > 0 && --c->leaving == 0) resized(r, job);
    } else if (strncmp(c->line, "done", 4) == 0 || strncmp(c->line, "failed", 6) == 0) {
        c->done = *c->line == 'd';
        if (r->desc.says) r->desc.says(r->desc.user, r->server, job, c->line + strcspn(c->line, " "));
    } else if (r->desc.says) {
        r->desc.says(r->desc.user, r->server, job, c->line);
    }
}

/* The first process of a job has ended. */
static void child_ended(real *r, server_number job)
{
    child *c = &r->children[job];
    const bool done = c->done;
    kill_job(c); /* the others, if there are any */
    server_tell_ended(r->server, job, !done);
}

static void hear(real *r, server_number job)
{
    child *c = &r->children[job];
    char bytes[LINE];
    const ssize_t got = read(c->out, bytes, sizeof bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) {
        child_ended(r, job);
        return;
    }
    for (ssize_t i = 0; i < got && c->pid > 0; ++i) {
        if (bytes[i] != '\n') {
            if (c->length + 1 < LINE) c->line[c->length++] = bytes[i];
            continue;
        }
        c->line[c->length] = 0;
        c->length = 0;
        take_line(r, job);
    }
}

/*=============================================================================
 * MARK: - >>running
 *===========================================================================*/
static void timer_due(real *r)
{
    const timer t = r->timers[--r->timer_count];
    if (t.what == SUBMITS) {
        server_tell_submitted(r->server, t.number);
    } else if (t.what == WAKES) {
        server_tell_wake(r->server);
    } else if (t.what == REPAIRED) {
        server_tell_repaired(r->server, t.number);
    } else {
        const server_number job = server_tell_failed(r->server, t.number);
        if (job != SERVER_NONE && server_job_of(r->server, job)->state != SERVER_RUNNING) kill_job(&r->children[job]);
    }
}

server_result real_open(const real_desc *desc, real **opened)
{
    real *r = desc && opened && desc->program && desc->nodes <= FLOWGRAPH_NODES ? (real *)calloc(1, sizeof *r) : NULL;
    if (opened) *opened = NULL;
    if (!r) {
        if (desc && desc->policy.close) desc->policy.close(desc->policy.state);
        return desc && opened && desc->program && desc->nodes <= FLOWGRAPH_NODES ? SERVER_NO_MEMORY
                                                                                 : SERVER_BAD_ARGUMENT;
    }
    r->desc = *desc;
    const server_desc of_server = {
        desc->nodes, desc->policy, { now, start, wake, desc->changed ? changed : NULL, NULL, r }, desc->keep
    };
    const server_result result = server_open(&of_server, &r->server);
    if (result != SERVER_OK) {
        free(r);
        return result;
    }
    *opened = r;
    return SERVER_OK;
}

void real_close(real *r)
{
    if (!r) return;
    for (server_number i = 0; r->children && i < server_jobs(r->server); ++i) kill_job(&r->children[i]);
    server_close(r->server);
    free(r->children);
    free(r->timers);
    free(r);
}

server *real_server(const real *r)
{
    return r->server;
}

server_result real_failure(real *r, uint32_t node, double fails, double repaired)
{
    if (!r || !(fails >= 0 && fails < INFINITY) || !(repaired > fails)) return SERVER_BAD_ARGUMENT;
    if (node >= r->desc.nodes) return SERVER_BAD_NODE;
    if (!add_timer(r, fails, FAILS, node)) return SERVER_NO_MEMORY;
    return repaired < INFINITY && !add_timer(r, repaired, REPAIRED, node) ? SERVER_NO_MEMORY : SERVER_OK;
}

/* Waits for the next timer, or for what jobs say. False if there is nothing to wait for. */
static bool wait_and_serve(real *r, struct pollfd *polled, server_number *whose)
{
    nfds_t count = 0;
    for (server_number i = 0; i < server_jobs(r->server); ++i) {
        if (r->children[i].pid == 0) continue;
        polled[count] = (struct pollfd){ r->children[i].out, POLLIN, 0 };
        whose[count++] = i;
    }
    r->now = clock_of(r);
    const double left = r->timer_count > 0 ? r->timers[r->timer_count - 1].time - r->now : 1;
    if (r->timer_count > 0 && left <= 0) {
        timer_due(r);
        return true;
    }
    if (count == 0 && r->timer_count == 0) return false;
    const int ready = poll(polled, count, (int)fmin(1000 * left + 1, 1000));
    for (nfds_t i = 0; ready > 0 && i < count; ++i)
        if (polled[i].revents && r->children[whose[i]].pid > 0) {
            r->now = clock_of(r);
            hear(r, whose[i]);
        }
    return true;
}

server_result real_run(real *r)
{
    const server_number count = server_jobs(r->server);
    if (count == 0) return SERVER_OK;
    r->children = (child *)calloc(count, sizeof *r->children);
    struct pollfd *polled = (struct pollfd *)malloc(count * sizeof *polled);
    server_number *whose = (server_number *)malloc(count * sizeof *whose);
    server_result result = r->children && polled && whose ? SERVER_OK : SERVER_NO_MEMORY;
    for (server_number i = 0; i < count && result == SERVER_OK; ++i) {
        const server_job_desc *d = &server_job_of(r->server, i)->desc;
        const work *w = (const work *)d->work;
        if (!w || w->kind != WORK_PROGRAM || !w->program) result = SERVER_BAD_ARGUMENT;
        if (result == SERVER_OK && !add_timer(r, d->submit, SUBMITS, i)) result = SERVER_NO_MEMORY;
    }
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* a job that has ended does not read */
    r->began = 0;
    r->began = clock_of(r);
    while (result == SERVER_OK && wait_and_serve(r, polled, whose)) {
        if (r->desc.longest > 0 && r->now > r->desc.longest) server_give_up(r->server, "has jobs that take too long");
        if (server_failed(r->server)) result = SERVER_BAD_STATE;
        if (r->no_memory) result = SERVER_NO_MEMORY;
    }
    for (server_number i = 0; r->children && i < count; ++i) kill_job(&r->children[i]);
    signal(SIGPIPE, before);
    free(polled);
    free(whose);
    return result;
}
