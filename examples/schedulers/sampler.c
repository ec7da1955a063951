/* sampler.c - reads the live machine for schedulers; see sampler.h. Linux. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifndef SAMPLER_NO_THREAD
#include <pthread.h>
#endif

enum {
    SAMPLER__PATH = 512,
    SAMPLER__NEW = 32,       /* new processes of one look */
    SAMPLER__PIDS = 1 << 22, /* the kernel gives no higher number */
    SAMPLER__IDLE = 20       /* SCHED_IDLE as a nice level */
};

/* A folder of numbers that is read in small pieces: one call for a whole /proc takes too long. */
typedef struct sampler__walk {
    int folder; /* -1: none */
    size_t at, filled;
    char entries[1024];
} sampler__walk;

/* Beside sampler_view.task. */
typedef struct sampler__watch {
    int file;
    bool running;
    int policy, nice;
    double seen, ran; /* when its state was read; when it was last found runnable [s] */
} sampler__watch;

/* Beside sampler_view.member. */
typedef struct sampler__group {
    uint64_t key;
    bool group, control;      /* a group, not a class; a control group */
    char path[SAMPLER__PATH]; /* of a control group */
} sampler__group;

struct sampler {
    char why[256];
    char mount[24]; /* of the cpu controller, below the folder of control groups; "" for version 2 */
    int version, proc, cgroups, loadavg, stat, pressure;
    long self, looker, newest;
    double window, budget, longest;
    double accepted;      /* before the look `patience`, so many are missing and were not found */
    double slices, saved; /* time for the search [s]; see sampler__search_on() */
    double told, seen;    /* smoothed: runnable threads by the kernel and here */
    bool full, scanned, hurried;
    bool invisible, outside, hides; /* the last control group; any; whether this is a container for that reason */
    size_t room, next, chore, weighed, cycles;
    sampler__walk processes, threads;
    long process;           /* whose threads */
    size_t found, patience; /* threads found in this round of the search; see `accepted` */
    unsigned char *kernel;  /* one bit per number: a thread of the kernel, which the search passes over */
    size_t text_room;
    char *text;
    double *ticks; /* busy and all of each core at the last reading */
    sampler__watch watch[SAMPLER_TASKS];
    sampler__group group[SAMPLER_MEMBERS];
    sampler_view view;
#ifndef SAMPLER_NO_THREAD
    pthread_t thread;
    bool started, stopping;
    double interval;
    pthread_mutex_t lock; /* of `published` and `stopping` */
    pthread_cond_t stop;
    sampler_view published;
#endif
};

/*=============================================================================
 * Files
 *===========================================================================*/
static double sampler__now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The first bytes of an open file as a text; "" if it is not open or gone. */
static size_t sampler__again(int file, char *text, size_t room)
{
    const ssize_t length = file < 0 ? 0 : pread(file, text, room - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    return length > 0 ? (size_t)length : 0;
}

static size_t sampler__text(int folder, const char *path, char *text, size_t room)
{
    const int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
    const size_t length = sampler__again(file, text, room);
    if (file >= 0) close(file);
    return length;
}

/* The next number in a folder; 0 at the end, and then from the beginning. */
static long sampler__walk_next(sampler__walk *walk)
{
    for (;;) {
        if (walk->at >= walk->filled) {
            const long got = syscall(SYS_getdents64, walk->folder, walk->entries, sizeof walk->entries);
            if (got <= 0) {
                walk->at = walk->filled = 0;
                lseek(walk->folder, 0, SEEK_SET);
                return 0;
            }
            walk->at = 0, walk->filled = (size_t)got;
        }
        /* struct linux_dirent64: 16 bytes, its length in two bytes, its type in one, its name */
        unsigned short length;
        const char *name = walk->entries + walk->at + 19;
        memcpy(&length, walk->entries + walk->at + 16, sizeof length);
        walk->at += length;
        if (*name >= '1' && *name <= '9') return strtol(name, NULL, 10);
    }
}

/* The number that begins after the blanks at *at; moves *at behind it. */
static long long sampler__number(const char **at)
{
    const char *p = *at;
    long long value = 0;
    while (*p == ' ') ++p;
    const bool negative = *p == '-';
    if (negative) ++p;
    for (; *p >= '0' && *p <= '9'; ++p)
        if (value <= (INT64_MAX - 9) / 10)
            value = 10 * value + (*p - '0'); /* the kernel writes larger ones where we skip */
    while (*p != ' ' && *p != '\0' && *p != '\n') ++p;
    *at = p;
    return negative ? -value : value;
}

/* 42 (a (b) c) S 1 ...: the name can contain blanks and parentheses, and ends at the last one. */
static bool sampler__parse(const char *text, sampler_process *p)
{
    const char *open = strchr(text, '('), *at = strrchr(text, ')');
    if (!open || !at || at < open || at[1] != ' ' || at[2] == '\0') return false;
    memset(p, 0, sizeof *p);
    const size_t length = (size_t)(at - open - 1);
    memcpy(p->name, open + 1, length < sizeof p->name ? length : sizeof p->name - 1);
    p->pid = strtol(text, NULL, 10);
    p->state = at[2];
    at += 3;
    int field = 4;
    for (; field <= 41 && *at == ' '; ++field) {
        const long long value = sampler__number(&at);
        switch (field) {
        case 4: p->parent = (long)value; break;
        case 9: p->flags = (unsigned long)value; break;
        case 14: p->user = value; break;
        case 15: p->system = value; break;
        case 16: p->ended_user = value; break;
        case 17: p->ended_system = value; break;
        case 19: p->nice = (long)value; break;
        case 20: p->threads = (long)value; break;
        case 22: p->start = value; break;
        case 39: p->core = (int)value; break;
        case 41: p->policy = (int)value; break;
        default: break;
        }
    }
    return field == 42;
}

bool sampler_process_read(int proc, const char *name, sampler_process *process)
{
    char path[80], text[1024];
    snprintf(path, sizeof path, "%.70s/stat", name);
    return sampler__text(proc, path, text, sizeof text) > 0 && sampler__parse(text, process);
}

void sampler_process_list(int folder, bool (*each)(void *user, long pid), void *user)
{
    sampler__walk walk;
    walk.folder = folder, walk.at = walk.filled = 0;
    lseek(folder, 0, SEEK_SET);
    for (long pid; (pid = sampler__walk_next(&walk)) != 0;)
        if (!each(user, pid)) return;
}

/*=============================================================================
 * Groups
 *===========================================================================*/
/* Of what kind a member is, and its name: a path, or the number of an autogroup or of a nice level. */
static uint64_t sampler__key(char kind, const void *name, size_t length)
{
    const unsigned char *byte = (const unsigned char *)name;
    uint64_t key = (UINT64_C(14695981039346656037) ^ (unsigned char)kind) * UINT64_C(1099511628211); /* FNV-1a */
    for (size_t i = 0; i < length; ++i) key = (key ^ byte[i]) * UINT64_C(1099511628211);
    return key;
}

static size_t sampler__find(const sampler *s, size_t parent, uint64_t key)
{
    size_t i = 0;
    while (i < s->view.members && (s->group[i].key != key || s->view.member[i].parent != parent)) ++i;
    return i;
}

/* A new member; CONTENTION_ROOT if there is no room. */
static size_t sampler__member(sampler *s, size_t parent, uint64_t key, double weight, bool group)
{
    const size_t i = s->view.members;
    if (i == SAMPLER_MEMBERS) {
        s->full = true;
        return CONTENTION_ROOT;
    }
    ++s->view.members;
    s->view.groups += group;
    s->view.member[i].parent = parent;
    s->view.member[i].weight = weight;
    s->view.member[i].limit = s->view.member[i].processes = 0;
    s->group[i].key = key, s->group[i].group = group, s->group[i].control = false;
    return i;
}

/* Reads weight and limit of a control group; false if the processor is not divided there. */
static bool sampler__weigh(const sampler *s, const char *path, double *weight, double *limit)
{
    char file[SAMPLER__PATH + 24], text[80];
    double quota = 0, period = 0;

    snprintf(file, sizeof file, "%s/cpu.%s", path, s->version == 2 ? "weight" : "shares");
    if (sampler__text(s->cgroups, file, text, sizeof text) == 0) return false;
    *weight = s->version == 2 ? contention_group_weight(strtod(text, NULL)) : strtod(text, NULL);
    if (!(*weight > 0)) *weight = 3; /* an idle group: cpu.weight is 0 */
    snprintf(file, sizeof file, "%s/cpu.%s", path, s->version == 2 ? "max" : "cfs_quota_us");
    sampler__text(s->cgroups, file, text, sizeof text);
    char *rest = text;
    quota = strtod(text, &rest); /* "max" and -1: none */
    if (s->version == 2)
        period = strtod(rest, NULL);
    else if (quota > 0) {
        snprintf(file, sizeof file, "%s/cpu.cfs_period_us", path);
        sampler__text(s->cgroups, file, text, sizeof text);
        period = strtod(text, NULL);
    }
    *limit = quota > 0 && period > 0 ? quota / period : 0;
    return true;
}

/* The control group of a line "number:controllers:path" of the cgroup file, if it is of the cpu controller. */
static const char *sampler__cgroup_line(const sampler *s, const char *line)
{
    const char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path) return NULL;
    if (s->version == 2) return path == controllers + 1 ? path + 1 : NULL;
    for (const char *p = controllers + 1; p < path; p += strcspn(p, ",:") + 1)
        if (strncmp(p, "cpu", 3) == 0 && (p[3] == ',' || p[3] == ':')) return path + 1;
    return NULL;
}

/* The group of a process: the innermost control group, or, if it is in none, the autogroup of its session. */
static size_t sampler__group_of(sampler *s, const char *process)
{
    char text[2048], path[SAMPLER__PATH], *end;
    size_t at = CONTENTION_ROOT;
    const char *below = NULL;

    snprintf(path, sizeof path, "%.70s/cgroup", process);
    sampler__text(s->proc, path, text, sizeof text);
    for (char *line = text; *line != '\0' && !below; line = end + (*end == '\n')) {
        end = line + strcspn(line, "\n");
        below = sampler__cgroup_line(s, line);
        if (below) *end = '\0';
        if (below || *end == '\0') break;
    }
    if (below && strcmp(below, "/") != 0) {
        const size_t root = strlen(s->mount);
        const int length = snprintf(path, sizeof path, "%s%s", root > 0 ? s->mount : ".", below);
        if (strstr(below, "/..")) s->outside = true;
        if (length >= (int)sizeof path || faccessat(s->cgroups, path, F_OK, 0) != 0)
            s->invisible = true; /* sampler__sort_self() asks; another process may just have ended with its group */
        else
            for (size_t i = (root > 0 ? root : 1) + 1; i <= (size_t)length; ++i) {
                if (path[i] != '/' && path[i] != '\0') continue;
                const char was = path[i];
                const uint64_t key = sampler__key('c', path, i);
                const size_t known = sampler__find(s, at, key);
                double weight, limit;
                path[i] = '\0';
                if (known < s->view.members)
                    at = known;
                else if (sampler__weigh(s, path, &weight, &limit)) {
                    const size_t made = sampler__member(s, at, key, weight, true);
                    if (made == CONTENTION_ROOT) return at;
                    at = made;
                    s->view.member[at].limit = limit;
                    s->group[at].control = true;
                    memcpy(s->group[at].path, path, i + 1);
                }
                path[i] = was;
            }
    }
    if (at != CONTENTION_ROOT || !s->view.autogroup) return at;
    snprintf(path, sizeof path, "%.70s/autogroup", process);
    if (sampler__text(s->proc, path, text, sizeof text) == 0) return at;
    int number, level;
    if (sscanf(text, "/autogroup-%d nice %d", &number, &level) != 2) return at;
    const uint64_t key = sampler__key('a', &number, sizeof number);
    const double weight = contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, level);
    const size_t known = sampler__find(s, at, key);
    if (known == s->view.members) return sampler__member(s, at, key, weight, true);
    s->view.member[known].weight = weight;
    return known;
}

static size_t sampler__class_of(sampler *s, size_t group, int policy, int nice)
{
    const int level = policy == 5 ? SAMPLER__IDLE : nice;
    const uint64_t key = sampler__key('n', &level, sizeof level);
    const size_t known = sampler__find(s, group, key);
    if (known < s->view.members) return known;
    return sampler__member(
        s, group, key, level == SAMPLER__IDLE ? 3 : contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, level), false);
}

static bool sampler__real_time(int policy)
{
    return policy == 1 || policy == 2 || policy == 6; /* SCHED_FIFO, SCHED_RR, SCHED_DEADLINE */
}

/* Cpus_allowed: 3f,ffffffff - groups of 32, the highest first - and whose thread it is. */
static void sampler__status(sampler *s, sampler_task *task)
{
    char text[4096], path[32];
    snprintf(path, sizeof path, "%ld/status", task->pid);
    task->allowed = 0;
    memset(task->mask, 0, sizeof task->mask);
    task->own = task->pid == s->self;
    if (sampler__text(s->proc, path, text, sizeof text) == 0) return;
    const char *line = strstr(text, "\nTgid:");
    if (line) task->own = strtol(line + 6, NULL, 10) == s->self;
    if ((line = strstr(text, "\nCpus_allowed:")) == NULL) return;
    line += 14;
    const char *last = line + strcspn(line, "\n") - 1;
    for (size_t bit = 0; last >= line && bit < SAMPLER_CORES; --last) {
        if (*last == ',') continue;
        const int digit = *last >= '0' && *last <= '9'   ? *last - '0'
                          : *last >= 'a' && *last <= 'f' ? *last - 'a' + 10
                                                         : -1;
        if (digit < 0) break;
        for (int i = 0; i < 4; ++i, ++bit)
            if ((digit >> i & 1) && bit < s->view.cores) {
                task->mask[bit / 64] |= UINT64_C(1) << bit % 64;
                ++task->allowed;
            }
    }
}

/* Finds the group of a watched thread, and what else is seldom read. */
static void sampler__sort(sampler *s, size_t i)
{
    sampler_task *task = &s->view.task[i];
    char name[32];

    snprintf(name, sizeof name, "%ld", task->pid);
    sampler__status(s, task);
    task->real_time = sampler__real_time(s->watch[i].policy);
    task->member = task->real_time
                       ? CONTENTION_ROOT
                       : sampler__class_of(s, sampler__group_of(s, name), s->watch[i].policy, s->watch[i].nice);
}

static void sampler__sort_self(sampler *s)
{
    sampler_process own;
    char name[32];

    snprintf(name, sizeof name, "%ld", s->self);
    if (!sampler_process_read(s->proc, name, &own)) memset(&own, 0, sizeof own);
    s->invisible = false;
    const size_t group = sampler__group_of(s, name);
    s->hides = s->invisible || s->outside;
    s->view.mine = sampler__class_of(s, group, own.policy, (int)own.nice);
}

static void sampler__autogroup(sampler *s)
{
    char text[16];
    s->view.autogroup =
        sampler__text(s->proc, "sys/kernel/sched_autogroup_enabled", text, sizeof text) > 0 && text[0] == '1';
}

/* All groups anew. */
static void sampler__regroup(sampler *s)
{
    s->view.members = s->view.groups = 0;
    s->full = false;
    sampler__sort_self(s);
    for (size_t i = 0; i < s->view.tasks; ++i) sampler__sort(s, i);
}

/*=============================================================================
 * Threads
 *===========================================================================*/
static void sampler__mark(sampler *s, long pid, bool kernel)
{
    if (pid <= 0 || pid >= SAMPLER__PIDS) return;
    const unsigned bit = 1u << pid % 8;
    s->kernel[pid / 8] = (unsigned char)(kernel ? s->kernel[pid / 8] | bit : s->kernel[pid / 8] & ~bit);
}

static bool sampler__watched(const sampler *s, long pid)
{
    for (size_t i = 0; i < s->view.tasks; ++i)
        if (s->view.task[i].pid == pid) return true;
    return false;
}

static void sampler__drop(sampler *s, size_t i)
{
    const size_t last = --s->view.tasks;
    close(s->watch[i].file);
    s->view.task[i] = s->view.task[last];
    s->watch[i] = s->watch[last];
}

/* Watches a runnable thread. Where there is no room, one goes that sleeps. */
static void sampler__add(sampler *s, const char *name, const sampler_process *p, double now)
{
    char path[80];

    if (sampler__watched(s, p->pid)) return;
    if (s->view.tasks == s->room) {
        size_t worst = s->room;
        for (size_t i = 0; i < s->room; ++i)
            if (!s->watch[i].running && (worst == s->room || s->view.task[i].runnable < s->view.task[worst].runnable))
                worst = i;
        if (worst == s->room) return;
        sampler__drop(s, worst);
    }
    snprintf(path, sizeof path, "%.70s/stat", name);
    const int file = openat(s->proc, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const size_t i = s->view.tasks;
    sampler_task *task = &s->view.task[i];
    sampler__watch *watch = &s->watch[i];
    const double interval = s->scanned ? now - s->view.time : 0;
    memset(task, 0, sizeof *task);
    task->pid = p->pid;
    task->core = p->core;
    /* At first there is no past; later, it was not runnable a look ago. */
    task->runnable = interval > 0 ? 1 - contention_load_beta_window(s->window, interval) : 1;
    memcpy(task->name, p->name, sizeof task->name - 1);
    watch->file = file, watch->running = true, watch->policy = p->policy, watch->nice = (int)p->nice;
    watch->seen = watch->ran = now;
    ++s->view.tasks;
    ++s->found;
    sampler__sort(s, i);
}

/* One piece of the search; false at the end of the process list. */
static bool sampler__search(sampler *s, double now)
{
    sampler_process p;
    char name[64];

    if (s->threads.folder >= 0) {
        const long thread = sampler__walk_next(&s->threads);
        if (thread == 0) {
            close(s->threads.folder);
            s->threads.folder = -1;
            return true;
        }
        if (sampler__watched(s, thread)) return true;
        snprintf(name, sizeof name, "%ld/task/%ld", s->process, thread);
        if (sampler_process_read(s->proc, name, &p) && p.state == 'R') sampler__add(s, name, &p, now);
        return true;
    }
    long pid;
    do pid = sampler__walk_next(&s->processes);
    while (pid > 0 && pid < SAMPLER__PIDS && (s->kernel[pid / 8] >> pid % 8 & 1));
    if (pid == 0) {
        ++s->cycles;
        if (s->found == 0) s->patience = s->view.number + 100, s->accepted = s->told - s->seen; /* not to be found */
        s->found = 0;
        return false;
    }
    snprintf(name, sizeof name, "%ld", pid);
    if (!sampler_process_read(s->proc, name, &p)) return true;
    if ((p.flags & SAMPLER_KERNEL_THREAD) != 0 && p.state != 'R') sampler__mark(s, pid, true);
    if (p.threads > 1) {
        snprintf(name, sizeof name, "%ld/task", pid);
        s->threads.folder = openat(s->proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        s->threads.at = s->threads.filled = 0;
        s->process = pid;
    } else if (p.state == 'R')
        sampler__add(s, name, &p, now);
    return true;
}

/* New processes have numbers above the last one: the latest first, for a part of the budget. */
static void sampler__newcomers(sampler *s, long newest, double now)
{
    sampler_process p;
    char name[32];

    if (newest < s->newest) memset(s->kernel, 0, SAMPLER__PIDS / 8); /* numbers are given again */
    for (long pid = s->newest + 1; pid <= newest; ++pid) sampler__mark(s, pid, false);
    for (long pid = newest; s->newest > 0 && pid > s->newest && pid > newest - SAMPLER__NEW; --pid) {
        snprintf(name, sizeof name, "%ld", pid);
        if (sampler_process_read(s->proc, name, &p) && p.state == 'R') sampler__add(s, name, &p, now);
        if (sampler__now() - now > 0.2 * s->budget) break;
    }
    s->newest = newest;
}

/* Whether to read the state of a watched thread now: of sleepers, a fourth each time; not of the one that looks. */
static bool sampler__due(const sampler *s, size_t i, double now)
{
    return s->view.task[i].pid != s->looker && (now - s->watch[i].ran <= s->window || (s->view.number + i) % 4 == 0);
}

/* Reads the state of a watched thread; false if it has ended, or slept for long. */
static bool sampler__refresh(sampler *s, size_t i, double now)
{
    sampler__watch *watch = &s->watch[i];
    sampler_task *task = &s->view.task[i];
    char text[1024];
    sampler_process p;

    if (!sampler__due(s, i, now)) return true;
    if (sampler__again(watch->file, text, sizeof text) == 0 || !sampler__parse(text, &p)) return false;
    watch->running = p.state == 'R';
    if (watch->running) watch->ran = now;
    if (now > watch->seen)
        task->runnable = contention_load_next(contention_load_beta_window(s->window, now - watch->seen), task->runnable,
                                              watch->running ? 1 : 0);
    watch->seen = now;
    task->core = p.core >= 0 && (size_t)p.core < s->view.cores ? p.core : 0;
    if (p.policy != watch->policy || (int)p.nice != watch->nice) {
        watch->policy = p.policy, watch->nice = (int)p.nice;
        sampler__sort(s, i);
    }
    return watch->running || now - watch->ran < 2 + 5 * s->window;
}

/*=============================================================================
 * The machine
 *===========================================================================*/
/* cpu0 user nice system idle iowait irq ...: how busy the cores were since the last reading. */
static void sampler__busy(sampler *s)
{
    sampler__again(s->stat, s->text, s->text_room);
    size_t online = 0;
    for (const char *line = s->text; (line = strstr(line, "\ncpu")) != NULL;) {
        const char *at = line + 4;
        char *end;
        const long core = strtol(at, &end, 10);
        line = at;
        if (end == at || core < 0 || (size_t)core >= s->view.cores) continue;
        ++online;
        double all = 0, idle = 0;
        at = end;
        for (int field = 0; field < 8 && *at == ' '; ++field) {
            const double ticks = (double)sampler__number(&at);
            all += ticks;
            if (field == 3 || field == 4) idle += ticks;
        }
        double *last = &s->ticks[2 * core];
        if (all - last[1] > 0) {
            const double part = 1 - (idle - last[0]) / (all - last[1]);
            s->view.busy[core] = part < 0 ? 0 : part > 1 ? 1 : part;
            last[0] = idle, last[1] = all;
        }
    }
    if (online > 0) s->view.online = online;
}

/* some avg10=1.52 ...: in percent. */
static void sampler__pressure(sampler *s)
{
    char text[200];
    const char *at;
    sampler__again(s->pressure, text, sizeof text);
    at = strstr(text, "avg10=");
    s->view.pressure = at ? strtod(at + 6, NULL) / 100 : (double)NAN;
}

/* What changes seldom: one thing at each look. */
static void sampler__chore(sampler *s)
{
    switch (s->chore++ % 8) {
    case 0: sampler__busy(s); break;
    case 2: sampler__pressure(s); break;
    case 4:
        sampler__autogroup(s);
        sampler__sort_self(s);
        break;
    case 1:
    case 5: /* a thread can be moved to another group or core */
        if (s->view.tasks > 0) sampler__sort(s, s->chore / 4 % s->view.tasks);
        break;
    default: /* 3, 6, 7: a control group can get another weight */
        if (s->view.members > 0) {
            const size_t i = s->weighed++ % s->view.members;
            double weight, limit;
            if (s->group[i].control && sampler__weigh(s, s->group[i].path, &weight, &limit))
                s->view.member[i].weight = weight, s->view.member[i].limit = limit;
        }
    }
}

/* Adds up what is seen. */
static void sampler__count(sampler *s, double interval)
{
    sampler_view *view = &s->view;
    const double beta = interval > 0 && view->number > 0 ? contention_load_beta_window(s->window, interval) : 0;

    for (size_t i = 0; i < view->members; ++i) view->member[i].processes = 0;
    view->known = view->real_time = 0;
    for (size_t i = 0; i < view->tasks; ++i) {
        const sampler_task *task = &view->task[i];
        view->known += s->watch[i].running && task->pid != s->looker;
        if (task->own) continue;
        if (task->real_time)
            view->real_time += task->runnable;
        else if (task->member != CONTENTION_ROOT)
            view->member[task->member].processes += task->runnable;
    }
    s->told = contention_load_next(beta, s->told, view->running);
    s->seen = contention_load_next(beta, s->seen, view->known);
    view->hidden = s->full    ? "there are more than 256 groups and classes of processes here"
                   : s->hides ? "this is a container, from which control groups are not visible"
                   : s->cycles > 0 && s->told > 2 * s->seen + 2
                       ? "this is a container, from which other processes are not visible"
                       : NULL;
}

/* Searches the whole list, and does all chores. */
static void sampler__search_all(sampler *s, double begin)
{
    if (s->threads.folder >= 0) close(s->threads.folder);
    s->threads.folder = -1;
    s->processes.at = s->processes.filled = 0;
    lseek(s->processes.folder, 0, SEEK_SET);
    while (sampler__search(s, begin)) {
    }
    s->scanned = true;
    for (int i = 0; i < 8; ++i) sampler__chore(s);
}

/* Goes on with the search as far as the budget allows. What a look leaves of it goes to two accounts, half to each: one for
 * a slice now and then (the first read of each kind finds cold caches, so a few large slices find more than many small
 * ones), one for the case that the kernel counts more runnable threads than are known. */
static void sampler__search_on(sampler *s, double begin, bool missing)
{
    const double now = sampler__now(), left = s->budget - (now - begin < s->longest ? now - begin : s->longest);
    double *account = &s->slices, most = 0;

    s->slices += 0.5 * left, s->saved += 0.5 * left;
    if (s->saved < 0) s->slices += s->saved, s->saved = 0;
    if (s->saved > 50 * s->longest) s->saved = 50 * s->longest;
    if (s->slices > s->longest) s->slices = s->longest;
    if (s->slices < -10 * s->budget) s->slices = -10 * s->budget;
    if (missing && !s->hurried) ++s->found; /* of this round, only a part is left: it proves nothing */
    s->hurried = missing;
    if (missing && s->saved > s->budget) {
        account = &s->saved;
        most = s->saved < s->longest ? s->saved : s->longest;
    } else if (s->slices > 3 * s->budget || 2 * s->slices > s->longest)
        most = s->slices;
    else if (s->view.number % 32 == 0)
        most = s->budget; /* it goes on, whatever the rest took */
    if (most > 0)
        while (sampler__search(s, begin) && sampler__now() - now < most) {
        }
    if (s->view.number % 32 == 16 || (s->view.number % 4 == 0 && s->slices > 0)) sampler__chore(s);
    const double took = sampler__now() - now;
    *account -= took < s->longest ? took : s->longest; /* more, and it was not on a core */
}

static void sampler__look(sampler *s, bool all)
{
    sampler_view *view = &s->view;
    const double begin = sampler__now(), interval = view->number > 0 ? begin - view->time : 0;
    char text[128];
    double running = 1;
    long newest = 0;

    s->looker = syscall(SYS_gettid);
    sampler__again(s->loadavg, text, sizeof text);
    const char *at = text; /* 0.16 0.03 0.01 2/93 5989 */
    for (int field = 0; field < 3; ++field) at += strcspn(at, " "), at += *at == ' ';
    if (*at != '\0') {
        running = strtod(at, NULL);
        at += strcspn(at, " ");
        newest = (long)sampler__number(&at);
    }
    view->running = running > 1 ? running - 1 : 0;
    if (s->full && view->number % 64 == 0) sampler__regroup(s); /* groups that are gone made room */
    const bool late = !all && s->slices < 0; /* what is read at every look takes more than the budget */
    if (!late || view->number % 2 == 0) sampler__newcomers(s, newest, begin);

    /* The watched ones, as many as the budget allows, at least two; the next look goes on. */
    double known = 0;
    for (size_t left = view->tasks, read = 0; left > 0 && view->tasks > 0; --left) {
        if (!all && read >= 2 && read % 2 == 0 && sampler__now() - begin > (late ? 0.5 : 0.8) * s->budget) break;
        if (s->next >= view->tasks) s->next = 0;
        read += sampler__due(s, s->next, begin);
        if (sampler__refresh(s, s->next, begin))
            ++s->next;
        else
            sampler__drop(s, s->next);
    }
    for (size_t i = 0; i < view->tasks; ++i) known += s->watch[i].running && view->task[i].pid != s->looker;
    if (all)
        sampler__search_all(s, begin);
    else
        sampler__search_on(s, begin,
                           view->running > known &&
                               s->told - s->seen > 0.5 + (view->number < s->patience ? s->accepted : 0));
    sampler__count(s, interval);
    view->time = begin;
    ++view->number;
    view->took = sampler__now() - begin;
    if (all) return;
    ++view->looks;
    view->spent += view->took;
    if (view->took > view->longest) view->longest = view->took;
}

void sampler_look(sampler *s)
{
    sampler__look(s, false);
    s->scanned = true;
}

void sampler_scan(sampler *s)
{
    sampler__look(s, true);
}

const sampler_view *sampler_view_of(const sampler *s)
{
    return &s->view;
}

/*=============================================================================
 * Open and close
 *===========================================================================*/
const char *sampler_why(const sampler *s)
{
    return s ? s->why : "no memory for a sampler";
}

static bool sampler__fail(sampler *s, const char *folder, const char *file, const char *why)
{
    snprintf(s->why, sizeof s->why, "%.100s%s%s: %.100s", folder, *file ? "/" : "", file, why);
    return false;
}

/* How many cores: the highest number in the file stat. */
static size_t sampler__cores(sampler *s)
{
    size_t cores = 0;
    for (;;) {
        char *larger;
        if (sampler__again(s->stat, s->text, s->text_room) + 1 < s->text_room || s->text_room > (1u << 22)) break;
        if ((larger = (char *)realloc(s->text, 2 * s->text_room)) == NULL) return 0;
        s->text = larger, s->text_room *= 2;
    }
    for (const char *line = s->text; (line = strstr(line, "\ncpu")) != NULL; line += 4)
        if (line[4] >= '0' && line[4] <= '9' && strtoul(line + 4, NULL, 10) + 1 > cores)
            cores = (size_t)strtoul(line + 4, NULL, 10) + 1;
    return cores;
}

static bool sampler__begin(sampler *s, const char *proc, const char *cgroups)
{
    if ((s->proc = open(proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        return sampler__fail(s, proc, "", strerror(errno));
    if ((s->processes.folder = openat(s->proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        return sampler__fail(s, proc, "", strerror(errno));
    if ((s->loadavg = openat(s->proc, "loadavg", O_RDONLY | O_CLOEXEC)) < 0)
        return sampler__fail(s, proc, "loadavg", "cannot be read; expected the files of Linux");
    if ((s->stat = openat(s->proc, "stat", O_RDONLY | O_CLOEXEC)) < 0)
        return sampler__fail(s, proc, "stat", "cannot be read; expected the files of Linux");
    s->pressure = openat(s->proc, "pressure/cpu", O_RDONLY | O_CLOEXEC);
    s->cgroups = open(cgroups, O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* without them there are no control groups */
    s->version = faccessat(s->cgroups, "cgroup.controllers", F_OK, 0) == 0 ? 2 : 1;
    if (s->version == 1) strcpy(s->mount, faccessat(s->cgroups, "cpu", F_OK, 0) == 0 ? "cpu" : "cpu,cpuacct");
    const size_t cores = sampler__cores(s);
    if (cores == 0) return sampler__fail(s, proc, "stat", "has no line of a core; expected one such as 'cpu0 1 2 3 4'");
    if (cores > SAMPLER_CORES) return sampler__fail(s, proc, "stat", "has more than 1024 cores");
    if ((s->ticks = (double *)calloc(2 * cores, sizeof *s->ticks)) == NULL)
        return sampler__fail(s, proc, "stat", "no memory for the cores");
    s->view.cores = cores;
    for (size_t i = 0; i < cores; ++i) s->view.busy[i] = (double)NAN;
    return true;
}

bool sampler_open(const sampler_desc *desc, sampler **out)
{
    static const sampler_desc zero;
    const sampler_desc *d = desc ? desc : &zero;
    sampler *s = (sampler *)calloc(1, sizeof *s);

    *out = s;
    if (!s) return false;
    s->proc = s->cgroups = s->loadavg = s->stat = s->pressure = s->processes.folder = s->threads.folder = -1;
#ifndef SAMPLER_NO_THREAD
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->stop, NULL);
#endif
    if (!(d->window >= 0) || !(d->budget >= 0) || !(d->longest >= 0))
        return sampler__fail(s, "sampler_desc", "", "window, budget and longest are times, 0 or more");
    s->self = d->self ? d->self : (long)getpid();
    s->window = d->window > 0 ? d->window : 0.2;
    s->budget = d->budget > 0 ? d->budget : 40e-6;
    s->longest = d->longest > 0 ? d->longest : 500e-6;
    if (s->longest < s->budget) s->longest = s->budget;
    s->room = d->tasks == 0 ? 64 : d->tasks < SAMPLER_TASKS ? d->tasks : SAMPLER_TASKS;
    s->text_room = 4096;
    s->kernel = (unsigned char *)calloc(SAMPLER__PIDS / 8, 1); /* of its half megabyte, few pages are ever touched */
    if ((s->text = (char *)malloc(s->text_room)) == NULL || !s->kernel)
        return sampler__fail(s, "sampler", "", "no memory");
    if (!sampler__begin(s, d->proc ? d->proc : "/proc", d->cgroups ? d->cgroups : "/sys/fs/cgroup")) return false;
    s->view.pressure = (double)NAN;
    sampler__autogroup(s);
    sampler__busy(s);
    sampler__pressure(s);
    sampler__sort_self(s);
    sampler_scan(s);
    return true;
}

void sampler_close(sampler *s)
{
    if (!s) return;
#ifndef SAMPLER_NO_THREAD
    sampler_stop(s);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->stop);
#endif
    while (s->view.tasks > 0) sampler__drop(s, s->view.tasks - 1);
    const int files[] = {
        s->proc, s->cgroups, s->loadavg, s->stat, s->pressure, s->processes.folder, s->threads.folder
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
        if (files[i] >= 0) close(files[i]);
    free(s->ticks);
    free(s->text);
    free(s->kernel);
    free(s);
}

/*=============================================================================
 * Shares
 *===========================================================================*/
static bool sampler__may(const sampler_task *task, size_t core)
{
    return task->allowed == 0 || (task->mask[core / 64] >> core % 64 & 1);
}

/* Where the others run if mine run there: who may move does so, to an allowed core with less on it. Only the first
 * `cores` bits of a mask count. */
static void sampler__place(const sampler_view *view, double on[], size_t where[])
{
    for (int moving = 0; moving < 2; ++moving) /* first those that cannot move */
        for (size_t i = 0; i < view->tasks; ++i) {
            const sampler_task *task = &view->task[i];
            if (task->own || (moving == 0) != (task->allowed == 1)) continue;
            size_t best = (size_t)task->core;
            for (size_t core = 0; moving && core < view->cores; ++core)
                /* less by half a process: a move that gains nothing does not happen */
                if (sampler__may(task, core) && (on[core] < on[best] - 0.5 || !sampler__may(task, best))) best = core;
            where[i] = best;
            on[best] += task->runnable;
        }
}

double sampler_share(const sampler_view *view, const double mine[], size_t core)
{
    double on[SAMPLER_CORES], here[SAMPLER_MEMBERS], all[SAMPLER_MEMBERS], share[SAMPLER_MEMBERS],
        scratch[SAMPLER_MEMBERS];
    contention_group_member tree[SAMPLER_MEMBERS];
    size_t where[SAMPLER_TASKS], moved[SAMPLER_MEMBERS], members = 0;
    double real_time = 0, sum = 0;

    if (core >= view->cores || view->mine >= view->members) return (double)NAN;
    for (size_t i = 0; i < view->cores; ++i) sum += on[i] = mine ? mine[i] : i == core;
    if (!(on[core] > 0) || !(sum > 0)) return (double)NAN;
    for (size_t i = 0; i < view->members; ++i) here[i] = all[i] = 0;
    here[view->mine] = on[core], all[view->mine] = sum;
    sampler__place(view, on, where);
    for (size_t i = 0; i < view->tasks; ++i) {
        const sampler_task *task = &view->task[i];
        if (task->own) continue;
        if (task->real_time) {
            if (where[i] == core) real_time += task->runnable;
        } else if (task->member < view->members) {
            all[task->member] += task->runnable;
            if (where[i] == core) here[task->member] += task->runnable;
        }
    }
    /* From the leaves up, the load of each group: here, and on all cores. What a group weighs on a core is its weight times
     * the part of its load that is there; so is its quota. [linux] kernel/sched/fair.c, calc_group_shares. */
    double load[SAMPLER_MEMBERS], total[SAMPLER_MEMBERS];
    for (size_t i = 0; i < view->members; ++i) load[i] = total[i] = 0;
    for (size_t i = view->members; i-- > 0;) {
        const contention_group_member *m = &view->member[i];
        const bool leaf = all[i] > 0;
        if (leaf) load[i] = here[i] * m->weight, total[i] = all[i] * m->weight;
        if (!(total[i] > 0)) continue;
        if (m->parent != CONTENTION_ROOT) {
            load[m->parent] += leaf ? load[i] : m->weight * load[i] / total[i];
            total[m->parent] += leaf ? total[i] : m->weight;
        }
    }
    for (size_t i = 0; i < view->members; ++i) { /* those with load here, parents first as before */
        if (!(load[i] > 0)) continue;
        const double part = load[i] / total[i];
        tree[members] = view->member[i];
        tree[members].processes = all[i] > 0 ? here[i] : 0;
        tree[members].weight *= all[i] > 0 ? 1 : part;
        tree[members].limit *= part;
        if (tree[members].parent != CONTENTION_ROOT) tree[members].parent = moved[tree[members].parent];
        moved[i] = members++;
    }
    if (contention_share_groups(1, real_time, members, tree, scratch, share) != CONTENTION_OK) return (double)NAN;
    return share[moved[view->mine]];
}

double sampler_share_anywhere(const sampler_view *view, double more)
{
    double share[SAMPLER_MEMBERS], scratch[SAMPLER_MEMBERS];
    contention_group_member tree[SAMPLER_MEMBERS];

    if (!(more > 0) || view->mine >= view->members) return (double)NAN;
    memcpy(tree, view->member, view->members * sizeof *tree);
    //! [groups]
    tree[view->mine].processes += more;
    if (contention_share_groups((double)view->online, view->real_time, view->members, tree, scratch, share) !=
        CONTENTION_OK)
        return (double)NAN;
    return share[view->mine];
    //! [groups]
}

/*=============================================================================
 * The thread
 *===========================================================================*/
#ifndef SAMPLER_NO_THREAD
static void sampler__copy(sampler_view *to, const sampler_view *from)
{
    memcpy(to, from, offsetof(sampler_view, member));
    memcpy(to->member, from->member, from->members * sizeof *from->member);
    to->tasks = from->tasks;
    memcpy(to->task, from->task, from->tasks * sizeof *from->task);
    memcpy(to->busy, from->busy, from->cores * sizeof *from->busy);
}

static void *sampler__run(void *user)
{
    sampler *s = (sampler *)user;
    struct timespec next;

    pthread_mutex_lock(&s->lock);
    while (!s->stopping) {
        pthread_mutex_unlock(&s->lock);
        sampler_look(s);
        pthread_mutex_lock(&s->lock);
        sampler__copy(&s->published, &s->view);
        clock_gettime(CLOCK_REALTIME, &next);
        const double end = (double)next.tv_nsec * 1e-9 + s->interval;
        next.tv_sec += (time_t)end;
        next.tv_nsec = (long)((end - (double)(time_t)end) * 1e9);
        if (!s->stopping) pthread_cond_timedwait(&s->stop, &s->lock, &next);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

bool sampler_start(sampler *s, double interval)
{
    if (s->started || !(interval > 0 && interval < 1e6)) return false;
    s->interval = interval, s->stopping = false;
    return s->started = pthread_create(&s->thread, NULL, sampler__run, s) == 0;
}

void sampler_stop(sampler *s)
{
    if (!s->started) return;
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_signal(&s->stop);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    s->started = false;
}

unsigned long sampler_latest(sampler *s, unsigned long number, sampler_view *view)
{
    if (pthread_mutex_trylock(&s->lock) != 0) return number; /* it is just being written */
    if (s->published.number > number) {
        sampler__copy(view, &s->published);
        number = view->number;
    }
    pthread_mutex_unlock(&s->lock);
    return number;
}
#endif
