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
    double weight, quota; /* of the control group: 1 is a session's; [cores] */
} row;

static char group[200];

static int write_to(const char *file, const char *format, double value)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", group, file);
    FILE *to = fopen(path, "w");
    if (!to) return 0;
    const int fine = fprintf(to, format, value) > 0;
    return fclose(to) == 0 && fine;
}

/* A control group for this program; 0 if there can be none. */
static int group_make(double weight, double quota)
{
    const int second = access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0;
    snprintf(group, sizeof group, "/sys/fs/cgroup/%ssimkit-sampler-%ld", second ? "" : "cpu/", (long)getpid());
    if (mkdir(group, 0755) != 0) return 0;
    if (second)
        return write_to("cpu.weight", "%.0f", 100 * weight) &&
               (quota == 0 || write_to("cpu.max", "%.0f 20000", 20000 * quota));
    return write_to("cpu.shares", "%.0f", 1024 * weight) &&
           (quota == 0 ||
            (write_to("cpu.cfs_period_us", "%.0f", 20000) && write_to("cpu.cfs_quota_us", "%.0f", 20000 * quota)));
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

    if (r->kind == GROUP && !group_make(r->weight, r->quota)) {
        rmdir(group);
        return printf("%-58s left out: no control groups here, or not root\n", r->name), 1;
    }
    if (pipe(answers) != 0 || pipe(ready) != 0) return 0;
    for (int i = 0; i < r->competitors; ++i) {
        competitor[i] = fork();
        if (competitor[i] != 0) continue;
        if (r->kind == SESSION && setsid() < 0) _exit(1);
        if (r->kind == GROUP &&
            !write_to(access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0 ? "cgroup.procs" : "tasks", "%.0f",
                      getpid()))
            _exit(1);
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
    if (r->kind == GROUP) rmdir(group);
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

    setvbuf(stdout, NULL, _IONBF, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) fine = compare(&rows[i], cores) && fine;
    printf("%s\n", fine ? "all within 5 %" : "some are off by more than 5 %: do others use this machine?");
    return !fine;
}
