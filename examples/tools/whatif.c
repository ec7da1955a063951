/* If I start k more computing processes on this machine now, how much slower will each of them be?
 * cc -O2 -DCONTENTION_STATIC -I. examples/tools/whatif.c -o whatif -lm && ./whatif        (--try starts them for two seconds)
 *
 * Linux divides the processor among groups first, sessions (autogroups) and control groups, and then within each. So
 * the slowdown depends not only on the number of runnable processes, but on the tree of their groups, which is read
 * from /proc and /sys/fs/cgroup. */
#define _GNU_SOURCE
#define CONTENTION_IMPLEMENTATION
#include "contention.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 8, SAMPLES = 8, MEMBERS = 1000, TEXT = 1000 };

static contention_group_member tree[MEMBERS]; /* runnable processes, and their groups */
static char name[MEMBERS][TEXT];
static size_t members;
static double real_time;   /* runnable real-time processes, which run before all others */
static double seen, told;  /* number of runnable processes: found here, and as counted by the kernel */
static const char *hidden; /* why the tree is unknown, or NULL */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The first characters of a file, "" if there is none; valid until the next call. */
static char *text_of(const char *path)
{
    static char text[TEXT];
    FILE *file = fopen(path, "r");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;

    if (file) fclose(file);
    text[length] = '\0';
    return text;
}

/* A member of the tree by its name; a new one is added. */
static size_t member_of(size_t parent, double weight, double limit, const char *called)
{
    for (size_t i = 0; i < members; ++i)
        if (tree[i].parent == parent && strcmp(name[i], called) == 0) return i;
    if (members == MEMBERS) {
        hidden = "more than 1000 groups";
        return 0; /* any member: nothing is printed about such a tree */
    }
    tree[members].parent = parent;
    tree[members].weight = weight > 0 ? weight : 3; /* 3: of an idle group or class */
    tree[members].limit = limit;
    snprintf(name[members], sizeof name[members], "%s", called);
    return members++;
}

/* The control group in the first `length` characters of a path if the processor is divided there, otherwise the one
 * above it. */
static size_t control_group(size_t above, const char *path, int length, int version)
{
    char file[2 * TEXT];
    double quota = 0, period = 0;
    snprintf(file, sizeof file, "%.*s/cpu.%s", length, path, version == 2 ? "weight" : "shares");
    if (text_of(file)[0] == '\0') return above;
    const double weight = version == 2 ? contention_group_weight(atof(text_of(file))) : atof(text_of(file));
    snprintf(file, sizeof file, "%.*s/cpu.%s", length, path, version == 2 ? "max" : "cfs_quota_us");
    if (sscanf(text_of(file), "%lf %lf", &quota, &period) == 1) {
        snprintf(file, sizeof file, "%.*s/cpu.cfs_period_us", length, path);
        period = atof(text_of(file));
    }
    snprintf(file, sizeof file, "%.*s", length, path);
    return member_of(above, weight, quota > 0 && period > 0 ? quota / period : 0, file); /* quota "max" or -1: none */
}

/* The group of a process: the innermost control group, or, if it is in none, its session's autogroup. */
static size_t group_of(const char *process)
{
    const int version = access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0 ? 2 : 1;
    const char *mounted = version == 2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
    char path[TEXT] = "", file[TEXT];
    size_t at = CONTENTION_ROOT;
    int number, level;

    snprintf(file, sizeof file, "%s/cgroup", process);
    for (char *line = strtok(text_of(file), "\n"); line; line = strtok(NULL, "\n")) { /* number:controllers:path */
        const char *controllers = strchr(line, ':'), *below = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!below) continue;
        if (version == 2 ? below == controllers + 1
                         : strncmp(controllers, ":cpu:", 5) == 0 || strncmp(controllers, ":cpu,", 5) == 0)
            snprintf(path, sizeof path, "%s%s", mounted, strcmp(below, ":/") == 0 ? "" : below + 1);
    }
    if (strstr(path, "/..") || (path[0] != '\0' && access(path, F_OK) != 0))
        hidden = "this is a container, from which control groups are not visible";
    for (size_t i = strlen(mounted) + (version == 1); path[0] != '\0' && i <= strlen(path);
         i++) /* 1: its root has a weight too */
        if (path[i] == '/' || path[i] == '\0') at = control_group(at, path, (int)i, version);
    snprintf(file, sizeof file, "%s/autogroup", process);
    if (at == CONTENTION_ROOT && atoi(text_of("/proc/sys/kernel/sched_autogroup_enabled")) == 1 &&
        sscanf(text_of(file), "/autogroup-%d nice %d", &number, &level) == 2) {
        snprintf(file, sizeof file, "autogroup %d", number);
        at = member_of(at, contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, level), 0, file);
    }
    return at;
}

/* The class of a nice level in a group; 20 stands for processes that run only on an idle processor. */
static size_t class_of(size_t group, int level)
{
    char called[40];
    snprintf(called, sizeof called, "nice %d", level);
    return member_of(group, contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, level), 0, called);
}

/* Adds a thread to the average over the samples, if it is runnable. */
static void count_thread(const char *process, const char *thread)
{
    char file[TEXT], state = '?';
    int level = 0, policy = 0;
    snprintf(file, sizeof file, "%s/task/%s/stat", process, thread);
    const char *stat = strrchr(text_of(file), ')'); /* the name before may have spaces and parentheses */
    if (!stat ||
        sscanf(stat + 1,
               " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d %*s %*s %*s %*s %*s %*s %*s %*s "
               "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d",
               &state, &level, &policy) != 3 ||
        state != 'R')
        return;
    seen += 1. / SAMPLES;
    if (policy == 1 || policy == 2 || policy == 6) /* SCHED_FIFO, SCHED_RR, SCHED_DEADLINE */
        real_time += 1. / SAMPLES;
    else
        tree[class_of(group_of(process), policy == 5 ? 20 : level)].processes += 1. / SAMPLES; /* 5: SCHED_IDLE */
}

/* Counts the runnable threads of all processes except this one. */
static void sample(void)
{
    DIR *processes = opendir("/proc");
    const struct dirent *process, *thread;
    double counted = 0;

    for (; processes && (process = readdir(processes)) != NULL;) {
        char path[300], tasks[320];
        DIR *threads;
        if (!isdigit((unsigned char)process->d_name[0]) || atol(process->d_name) == (long)getpid()) continue;
        snprintf(path, sizeof path, "/proc/%s", process->d_name);
        snprintf(tasks, sizeof tasks, "%s/task", path);
        for (threads = opendir(tasks); threads && (thread = readdir(threads)) != NULL;)
            if (isdigit((unsigned char)thread->d_name[0])) count_thread(path, thread->d_name);
        if (threads) closedir(threads);
    }
    if (processes) closedir(processes);
    if (sscanf(text_of("/proc/loadavg"), "%*f %*f %*f %lf", &counted) != 1)
        hidden = "/proc/loadavg cannot be read: expected Linux";
    told += (counted > 1 ? counted - 1 : 0) / SAMPLES; /* this process is one of them */
}

/* Starts processes that compute for two seconds; returns their mean slowdown: real time over CPU time. */
static double try_it(int processes)
{
    const double end = now() + 2;
    double sum = 0;
    int answers[2], got = 0;

    if (pipe(answers) != 0) return NAN;
    for (int i = 0; i < processes; ++i)
        if (fork() == 0) { /* ends by itself, even if this process is killed */
            const double start = now();
            volatile double work = 1;
            struct rusage used;
            double slowdown;
            while (now() < end)
                for (int k = 0; k < 100000; ++k) work = work * 1.0000001;
            getrusage(RUSAGE_SELF, &used);
            slowdown = (now() - start) / ((double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
                                          1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec));
            _exit(write(answers[1], &slowdown, sizeof slowdown) != sizeof slowdown);
        }
    close(answers[1]);
    for (double slowdown; read(answers[0], &slowdown, sizeof slowdown) == sizeof slowdown; ++got) sum += slowdown;
    close(answers[0]);
    while (wait(NULL) > 0) {
    }
    return got > 0 ? sum / got : NAN;
}

int main(int argc, char **argv)
{
    static double share[MEMBERS], scratch[MEMBERS];
    const int trying = argc > 1 && strcmp(argv[1], "--try") == 0;
    const double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    size_t groups = 0, mine;

    if (argc > 1 && !trying) return fprintf(stderr, "whatif [--try]\n"), 1;
    for (int i = 0; i < SAMPLES; ++i) {
        const struct timespec pause = { 0, 50000000 };
        sample();
        nanosleep(&pause, NULL);
    }
    mine =
        class_of(group_of("/proc/self"), getpriority(PRIO_PROCESS, 0)); /* the class of processes started from here */
    for (size_t i = 0; i < members; ++i) groups += strncmp(name[i], "nice ", 5) != 0;
    if (told > 2 * seen + 2) hidden = "this is a container, from which other processes are not visible";
    printf("%.0f cores, on average %.1f others runnable, in %zu groups\n", cores, seen, groups);
    printf("k more     slowdown of each             without groups%s\n", trying ? "    measured" : "");
    if (hidden) printf("unknown here: %s\n", hidden);
    for (int k = 1; k <= MOST && !hidden; k *= 2) {
        const double others = tree[mine].processes;
        tree[mine].processes = others + k;
        //! [groups]
        if (contention_share_groups(cores, real_time, members, tree, scratch, share) != CONTENTION_OK) return 1;
        const double slower = 1 / share[mine];
        //! [groups]
        printf("%6d %20.2f %26.2f", k, slower, 1 / contention_share_equal(cores, 0, seen + k));
        tree[mine].processes = others;
        if (trying) {
            fflush(stdout);
            printf(" %11.2f", try_it(k));
        }
        printf("   ");
        for (int i = 0; i < (int)(4 * slower + 0.5) && i < 40; ++i) putchar('#');
        printf("\n");
    }
    return 0;
}
