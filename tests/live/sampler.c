/* Does the sampler of examples/schedulers know how much slower the next process will be?
 *
 * Competitors that only compute, pinned to one core, in this session, in sessions of their own, and in control groups with
 * weights and quotas. The sampler is asked what each process of ours would get there; then they run for two seconds. Exits 1 if a
 * slowdown is off by more than 5 %. Sessions need autogroups, control groups root; what is not here is left out. */
#define _GNU_SOURCE
#define CONTENTION_IMPLEMENTATION
#define SAMPLER_NO_THREAD
#include "../../examples/schedulers/sampler.c"

#include "busy.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { SECONDS = 2, COMPETITORS = 4, HERE = 0, SESSION, GROUP };

/* One comparison. Of the competitors, all are of one kind; ours run on the last core, and one on each other core if `spread`. */
typedef struct row {
    const char *name;
    int competitors, kind, nice, spread;
    double weight, quota; /* of their control group: ours has 1; [cores] */
} row;

static char above[200]; /* the control group in which this program was started */
static char theirs[240], ours[240];
static bool second; /* version 2 */

static bool write_to(const char *group, const char *file, const char *format, double value)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", group, file);
    FILE *to = fopen(path, "w");
    if (!to) return false;
    const bool fine = fprintf(to, format, value) > 0;
    return fclose(to) == 0 && fine;
}

static bool join(const char *group)
{
    return write_to(group, second ? "cgroup.procs" : "tasks", "%.0f", getpid());
}

/* Where this program is: its line of /proc/self/cgroup. */
static void find_above(void)
{
    char line[200];
    FILE *file = fopen("/proc/self/cgroup", "r");
    second = access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0;
    while (file && fgets(line, sizeof line, file)) {
        char *path = strstr(line, second ? "::" : ":cpu");
        line[strcspn(line, "\n")] = '\0';
        if (!path || (!second && path[4] != ':' && path[4] != ',')) continue;
        path = strrchr(path, ':') + 1;
        snprintf(above, sizeof above, "/sys/fs/cgroup%s%s", second ? "" : "/cpu", strcmp(path, "/") == 0 ? "" : path);
    }
    if (file) fclose(file);
}

/* Two control groups side by side, ours and theirs; this program moves into ours. */
static bool groups_make(double weight, double quota)
{
    const double weights[] = { 1, weight };
    snprintf(ours, sizeof ours, "%s/simkit-ours-%ld", above, (long)getpid());
    snprintf(theirs, sizeof theirs, "%s/simkit-theirs-%ld", above, (long)getpid());
    const char *group[] = { ours, theirs };
    for (int i = 0; i < 2; ++i)
        if (mkdir(group[i], 0755) != 0 || !(second ? write_to(group[i], "cpu.weight", "%.0f", 100 * weights[i])
                                                   : write_to(group[i], "cpu.shares", "%.0f", 1024 * weights[i])))
            return false;
    if (quota > 0 && !(second ? write_to(theirs, "cpu.max", "%.0f 20000", 20000 * quota)
                              : write_to(theirs, "cpu.cfs_period_us", "%.0f", 20000) &&
                                    write_to(theirs, "cpu.cfs_quota_us", "%.0f", 20000 * quota)))
        return false;
    return join(ours);
}

static void groups_remove(void)
{
    join(above);
    rmdir(ours);
    rmdir(theirs);
}

/* Whether a new session would be a group of its own: sessions are not, in a control group. */
static bool sessions_are_groups(void)
{
    char text[100] = "";
    FILE *file = fopen("/proc/self/autogroup", "r");
    const bool read = file && fgets(text, sizeof text, file);
    if (file) fclose(file);
    return read && text[0] == '/' && (strcmp(above, "/sys/fs/cgroup/cpu") == 0 || strcmp(above, "/sys/fs/cgroup") == 0);
}

static void pin_to(long core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) _exit(1);
}

static int compare(const row *r, long cores)
{
    static double mine[SAMPLER_CORES];
    const long last = cores - 1;
    pid_t competitor[COMPETITORS];
    double slowdown = 0, answer[2];
    int answers[2], fine = 1, ready[2];
    sampler *s;
    char byte = 0;

    if (r->kind == SESSION && !sessions_are_groups())
        return printf("%-58s left out: no autogroups here, or this is in a control group\n", r->name), 1;
    if (r->kind == GROUP && !groups_make(r->weight, r->quota)) {
        groups_remove();
        return printf("%-58s left out: no control groups here, or not root\n", r->name), 1;
    }
    if (pipe(answers) != 0 || pipe(ready) != 0) return 0;
    for (int i = 0; i < r->competitors; ++i) {
        competitor[i] = fork();
        if (competitor[i] != 0) continue;
        if (r->kind == SESSION && setsid() < 0) _exit(1);
        if (r->kind == GROUP && !join(theirs)) _exit(1);
        if (setpriority(PRIO_PROCESS, 0, r->nice) != 0) _exit(1);
        pin_to(last);
        if (write(ready[1], &byte, 1) != 1) _exit(1);
        busy(now(), now() + SECONDS + 4); /* ends by itself */
        _exit(0);
    }
    close(ready[1]);
    for (int i = 0; i < r->competitors; ++i) fine = read(ready[0], &byte, 1) == 1 && fine;
    close(ready[0]);
    if (!fine || !sampler_open(NULL, &s)) return printf("%s: cannot begin\n", r->name), 0;
    for (int i = 0; i < 50; ++i) {
        usleep(10000);
        sampler_look(s);
    }
    for (long core = 0; core < cores; ++core) mine[core] = core == last || r->spread;
    const double predicted = 1 / sampler_share(sampler_view_of(s), mine, (size_t)last);
    sampler_close(s);
    const double begin = now() + 0.1, end = begin + SECONDS;
    for (long core = r->spread ? 0 : last; core < cores; ++core)
        if (fork() == 0) {
            pin_to(core);
            const double got[2] = { (double)core, SECONDS / busy(begin, end) };
            _exit(write(answers[1], got, sizeof got) != sizeof got);
        }
    close(answers[1]);
    while (read(answers[0], answer, sizeof answer) == (ssize_t)sizeof answer)
        if ((long)answer[0] == last) slowdown = answer[1];
    close(answers[0]);
    for (int i = 0; i < r->competitors; ++i) kill(competitor[i], SIGKILL);
    while (wait(NULL) > 0) {
    }
    if (r->kind == GROUP) groups_remove();
    const double off = predicted / slowdown - 1;
    printf("%-58s predicted %5.2f   measured %5.2f   %+5.1f %%\n", r->name, predicted, slowdown, 100 * off);
    return off < 0.05 && off > -0.05;
}

int main(void)
{
    static const row rows[] = {
        { "1 in this session", 1, HERE, 0, 0, 0, 0 },
        { "2 in this session, at nice 5", 2, HERE, 5, 0, 0, 0 },
        { "2, each in a session of its own", 2, SESSION, 0, 0, 0, 0 },
        { "1 in a session of its own, while ours are on every core", 1, SESSION, 0, 1, 0, 0 },
        { "3 in a control group of weight 2", 3, GROUP, 0, 0, 2, 0 },
        { "3 in a control group with a quota of 0.2 cores", 3, GROUP, 0, 0, 1, 0.2 },
        { "1 in a control group of weight 1/2, ours on every core", 1, GROUP, 0, 1, 0.5, 0 },
    };
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int fine = 1;

    find_above();
    setvbuf(stdout, NULL, _IONBF, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) fine = compare(&rows[i], cores) && fine;
    printf("%s\n", fine ? "all within 5 %" : "some are off by more than 5 %: do others use this machine?");
    return !fine;
}
