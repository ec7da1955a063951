/* How much CPU time do the processes of this machine use, and when does each of them start?
 * cc -O2 -DCONTENTION_STATIC -I. examples/tools/record_load.c -o record_load -lm && ./record_load --hide-names day.csv    (Linux; no root needed)
 *
 * Once per interval it reads every /proc/[pid]/stat, and writes a line when a process is new and whenever its CPU time
 * has grown: a recording that can be replayed as background load. `time` counts from the beginning of the recording:
 * the start of the process, or else a random moment of the interval in which it used the CPU.
 * `parent` is its parent when first seen, 0 if that is not recorded. `cpu` is the CPU time used since the recording
 * began; a process that is older has a line with 0 at time 0. In names `,`, `"` and `#` become `_`;
 * --hide-names makes them p1, p2, ... in the order of their first lines.
 *   - Kernel threads, and this program itself, are left out.
 *   - A number that the kernel uses again is replaced by a fresh one above 10000000.
 *   - A process that starts and ends between two samples shows only in its parent's CPU time of ended children. The
 *     growth of that, less the known CPU time of ended processes, becomes one process `unseen` with a fresh number.
 *   - The same holds for the last piece of a process that was seen. It is estimated by the last rate of the process
 *     over an interval, but not more than is missing, and gets a last line; the rest is `unseen`.
 *   - If a parent ignores SIGCHLD, the kernel does not report the CPU time of its children: their last pieces are
 *     missing.
 * The kernel counts hundredths of a second; the totals at the end compare the sum with its count for all processors. */
#define SAMPLER_NO_THREAD
#include "../schedulers/sampler.c"

#include <ctype.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>

enum { MOST_PID = 1 << 22, FRESH_IDS = 10000000, ROUNDED = 2 /* ticks of two sums */ };

typedef struct process {
    long pid, ppid, nice, id, parent; /* the kernel's; the last two as written */
    long long start, self, children;  /* [ticks] since boot; its CPU time; that of its ended children */
    long long base, recent, rest; /* CPU time [ticks]: before the recording; in this interval; children's unexplained */
    long long begin;              /* [ticks] of a new process: its start, or its parent's if that is later */
    int depth;                    /* of a new process: number of its ancestors that are new */
    bool kernel, fresh, alive, late;
    char name[64];
} process;

typedef struct processes {
    process *at;
    size_t count, room;
} processes;

static processes now, before, waiting;  /* waiting: ended, but in no parent's `children` yet */
static unsigned char met[MOST_PID / 8]; /* one bit per number: whether it has been used */
static char (*names)[64];
static size_t names_count;
static bool hiding;
static FILE *file;
static long last_id = FRESH_IDS;
static double ticks; /* per second */
static long long written, kernel;
static unsigned long processes_seen;
static volatile sig_atomic_t stopping;

static void stop(int signal)
{
    stopping = signal;
}

static int complain(const char *what, const char *where)
{
    fprintf(stderr, "record_load: cannot %s %s: %s\n", what, where, strerror(errno));
    return 1;
}

static double clock_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void *grown(void *old, size_t count, size_t size)
{
    void *room = realloc(old, count * size);
    if (!room) exit(complain("continue the recording", "without memory"));
    return room;
}

static process *add(processes *to, const process *p)
{
    if (to->count == to->room) to->at = (process *)grown(to->at, to->room = 2 * to->room + 64, sizeof *to->at);
    to->at[to->count] = *p;
    return &to->at[to->count++];
}

static int by_pid(const void *a, const void *b)
{
    const process *x = (const process *)a, *y = (const process *)b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static int by_begin(const void *a, const void *b)
{
    const process *x = *(process *const *)a, *y = *(process *const *)b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->depth != y->depth ? x->depth - y->depth : by_pid(x, y);
}

/* A parent is older than its children, whatever its number; new processes come last. */
static int by_start(const void *a, const void *b)
{
    const process *x = (const process *)a, *y = (const process *)b;
    return x->start != y->start ? (x->start > y->start) - (x->start < y->start) : by_pid(x, y);
}

static int by_known(const void *a, const void *b) /* in descending order */
{
    const process *x = (const process *)a, *y = (const process *)b;
    const long long known = x->self + x->children, other = y->self + y->children;
    return known != other ? (known < other) - (known > other) : by_pid(x, y);
}

static process *find(const processes *in, long pid)
{
    process key;
    key.pid = pid;
    return in->count ? (process *)bsearch(&key, in->at, in->count, sizeof key, by_pid) : NULL;
}

/*=============================================================================
 * Reading
 *===========================================================================*/
static bool read_process(int proc, long pid, process *p)
{
    sampler_process found;
    char name[32];

    snprintf(name, sizeof name, "%ld", pid);
    if (!sampler_process_read(proc, name, &found)) return false; /* it has ended */
    memset(p, 0, sizeof *p);
    p->ppid = found.parent, p->nice = found.nice, p->start = found.start;
    memcpy(p->name, found.name, sizeof p->name);
    for (char *c = p->name; *c; ++c)
        if (*c == ',' || *c == '"' || *c == '#' || iscntrl((unsigned char)*c)) *c = '_';
    p->pid = pid;
    p->self = found.user + found.system;
    p->children = found.ended_user + found.ended_system;
    p->kernel = (found.flags & SAMPLER_KERNEL_THREAD) != 0;
    return true;
}

/* Every process but this one, in the order of their numbers. */
static bool list_process(void *user, long pid)
{
    const process *old = find(&before, pid);
    process p;

    (void)user;
    memset(&p, 0, sizeof p);
    p.pid = pid;
    p.start = old ? old->start : LLONG_MAX;
    if (pid != (long)getpid()) add(&now, &p);
    return true;
}

static void read_all(int proc, bool first)
{
    const processes swap = before;
    size_t listed;
    process p;

    before = now, now = swap, now.count = 0;
    sampler_process_list(proc, list_process, NULL);
    /* Parents first: if a child were read, then ended, and its parent were read, its CPU time would count twice. */
    if (now.count) qsort(now.at, now.count, sizeof *now.at, by_start);
    listed = now.count, now.count = 0;
    for (size_t i = 0; i < listed; ++i) {
        process *old = find(&before, now.at[i].pid);
        if (!read_process(proc, now.at[i].pid, &p)) continue;
        if (old && old->start == p.start) {
            old->alive = true;
            p.id = old->id, p.parent = old->parent, p.base = old->base;
            p.recent = p.self - old->self, p.rest = p.children - old->children;
        } else {
            const bool taken = p.pid >= MOST_PID || (met[p.pid / 8] >> p.pid % 8 & 1);
            p.id = taken ? ++last_id : p.pid;
            if (!taken) met[p.pid / 8] = (unsigned char)(met[p.pid / 8] | 1 << p.pid % 8);
            p.base = first ? p.self : 0, p.recent = p.self - p.base, p.rest = first ? 0 : p.children;
            p.fresh = true;
        }
        if (p.kernel) kernel += p.recent;
        now.at[now.count++] = p;
    }
    if (now.count) qsort(now.at, now.count, sizeof *now.at, by_pid);
    for (size_t i = 0; i < now.count; ++i) {
        process *q = &now.at[i], *up = find(&now, q->ppid);
        if (!q->fresh) continue;
        q->parent = up && !up->kernel ? up->id : 0;
        q->begin = q->start;
        for (; up && up->fresh && q->depth < 1000; up = find(&now, up->ppid), q->depth++)
            if (up->start > q->begin) q->begin = up->start;
        if (first) q->fresh = false;
    }
}

/* The process that waited for an ended one: the nearest ancestor whose ended children used that much CPU time.
 * Subtracts it there. */
static process *reaper(const process *gone)
{
    const long long known = gone->self + gone->children;
    long pid = gone->ppid;

    for (int step = 0; pid > 0 && step < 1000; ++step) {
        process *up = find(&now, pid);
        if (!up || up->start > gone->start) {
            const process *last = find(&before, pid);
            pid = last && last->ppid != pid ? last->ppid : pid != 1;
            continue;
        }
        if (up->rest + ROUNDED >= known) {
            up->rest = up->rest > known ? up->rest - known : 0;
            return up;
        }
        pid = up->ppid;
    }
    return NULL;
}

/*=============================================================================
 * Writing
 *===========================================================================*/
static const char *shown(const char *name)
{
    static char number[32];
    size_t i = 0;

    if (!hiding) return name;
    while (i < names_count && strcmp(names[i], name) != 0) ++i;
    if (i == names_count) {
        names = (char(*)[64])grown(names, ++names_count, sizeof *names);
        strcpy(names[i], name);
    }
    snprintf(number, sizeof number, "p%lu", (unsigned long)i + 1);
    return number;
}

typedef struct line {
    double time;
    size_t number;
    char text[160];
} line;

static line *lines; /* of one interval */
static size_t lines_count, lines_room;

static int by_time(const void *a, const void *b)
{
    const line *x = (const line *)a, *y = (const line *)b;
    if (x->time < y->time || x->time > y->time) return x->time < y->time ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void write_line(double time, long id, long parent, long long consumed, long nice, const char *name)
{
    if (lines_count == lines_room) {
        lines_room = lines_room ? 2 * lines_room : 256;
        lines = (line *)grown(lines, lines_room, sizeof *lines);
    }
    lines[lines_count].time = time;
    lines[lines_count].number = lines_count;
    snprintf(lines[lines_count++].text, sizeof lines->text, "%ld,%ld,%.2f,%ld,%s", id, parent, (double)consumed / ticks,
             nice, name);
}

static void write_lines(void)
{
    if (lines_count) qsort(lines, lines_count, sizeof *lines, by_time);
    for (size_t i = 0; i < lines_count; ++i) fprintf(file, "%.2f,%s\n", lines[i].time, lines[i].text);
    lines_count = 0;
}

/* A random time in an interval at which so much CPU time fits, as the real one is unknown. If all began with their
 * interval, a load average with the same sampling interval would see them always, or never. */
static double somewhere(double begin, double end, long long consumed)
{
    static unsigned long long dice = 1;
    const double room = end - begin - (double)consumed / ticks;

    dice = dice * 6364136223846793005ULL + 1442695040888963407ULL;
    return room > 0 ? begin + room * (double)(dice >> 11) / 9007199254740992.0 : begin;
}

static void write_process(double time, const process *p, long long growth)
{
    written += growth;
    write_line(time, p->id, p->parent, p->self - p->base, p->nice, shown(p->name));
}

static void write_unseen(double begin, double end, const process *p)
{
    if (p->rest <= 0) return;
    written += p->rest;
    write_line(somewhere(begin, end, p->rest), ++last_id, p->id, p->rest, p->nice, "unseen");
}

/* The interval from `begin` to `end` in seconds of the recording, which began `origin` seconds after the machine. */
static void write_interval(double begin, double end, double origin)
{
    static process **fresh, **took;
    static size_t room;
    processes gone = waiting;
    size_t count = 0;

    memset(&waiting, 0, sizeof waiting);
    for (size_t i = 0; i < before.count; ++i)
        if (!before.at[i].alive && !before.at[i].kernel) add(&gone, &before.at[i]);
    if (now.count + gone.count > room) {
        room = 2 * (now.count + gone.count);
        fresh = (process **)grown(fresh, room, sizeof *fresh);
        took = (process **)grown(took, room, sizeof *took);
    }
    if (gone.count) qsort(gone.at, gone.count, sizeof *gone.at, by_known);
    for (size_t i = 0; i < gone.count; ++i) took[i] = reaper(&gone.at[i]);
    for (size_t i = 0; i < now.count; ++i) {
        process *p = &now.at[i];
        if (p->fresh && !p->kernel) fresh[count++] = p;
        if (!p->fresh && !p->kernel && p->recent > 0) write_process(somewhere(begin, end, p->recent), p, p->recent);
    }
    for (size_t i = 0; i < gone.count; ++i) {
        process *p = &gone.at[i];
        const double lived = begin + origin - (double)p->start / ticks, whole = end - begin;
        const double most = (double)p->recent * (lived < whole ? whole / (lived > 0.01 ? lived : 0.01) : 1) + 1;
        long long piece = took[i] ? took[i]->rest : 0;
        if ((double)piece > most) piece = (long long)most;
        if (piece > 0) {
            p->self += piece, took[i]->rest -= piece;
            write_process(somewhere(begin, end, piece), p, piece);
        } else if (!took[i] && !p->late) { /* its parent was read before it ended: see the next sample */
            p->late = true;
            add(&waiting, p);
        }
    }
    free(gone.at);
    for (size_t i = 0; i < now.count; ++i)
        if (!now.at[i].fresh && !now.at[i].kernel) write_unseen(begin, end, &now.at[i]);
    qsort(fresh, count, sizeof *fresh, by_begin);
    for (size_t i = 0; i < count; ++i) {
        double time = (double)fresh[i]->begin / ticks - origin;
        time = time < begin ? begin : time > end ? end : time;
        write_process(time, fresh[i], fresh[i]->self);
        write_unseen(time, end, fresh[i]);
        ++processes_seen;
    }
    write_lines();
}

/*=============================================================================
 * Recording
 *===========================================================================*/
/* CPU time of the machine in programs and in the kernel [s], without that of this program; and the time in interrupts,
 * which most kernels also count for the interrupted process. */
static double machine(double *interrupts)
{
    double user = 0, nice = 0, system = 0, hard = 0, soft = 0;
    struct rusage own;
    FILE *stat = fopen("/proc/stat", "r");

    if (!stat || fscanf(stat, "cpu %lf %lf %lf %*f %*f %lf %lf", &user, &nice, &system, &hard, &soft) != 5)
        fprintf(stderr, "record_load: /proc/stat has no CPU times: the total is meaningless\n");
    if (stat) fclose(stat);
    getrusage(RUSAGE_SELF, &own);
    *interrupts = (hard + soft) / ticks;
    return (user + nice + system) / ticks - (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) -
           1e-6 * (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec);
}

static int record(const char *path, double span, double every)
{
    const int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    double origin, used_before, used, interrupts_before, interrupts, time = 0;

    if (proc < 0) return complain("read", "/proc");
    if ((file = fopen(path, "w")) == NULL) return complain("write", path);
    origin = clock_now();
    used_before = machine(&interrupts_before);
    read_all(proc, true);
    if (now.count == 0) return errno = ENOENT, complain("find a process in", "/proc");
    fprintf(file,
            "# record_load: processes of a machine with %ld cores online, a sample every %g s\n"
            "time [s],pid,parent,cpu [s],nice,name\n",
            cores, every);
    for (size_t i = 0; i < now.count; ++i) /* so that every parent has a line before its children */
        if (!now.at[i].kernel) write_process(0, &now.at[i], 0);
    write_lines();
    while (!stopping && time < span) {
        const double begin = time;
        double wait = every - (time - every * (double)(long long)(time / every + 1e-3)), whole;
        if (wait > span - time) wait = span - time;
        whole = (double)(long long)wait;
        nanosleep(&(struct timespec){ (time_t)whole, (long)((wait - whole) * 1e9) }, NULL); /* a signal ends it */
        time = clock_now() - origin;
        read_all(proc, false);
        write_interval(begin, time, origin);
        if (fflush(file) != 0) return complain("write to", path);
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\r%.0f of %.0f s, %lu new processes, %.2f s of CPU time ...\033[K", time, span,
                    processes_seen, (double)written / ticks);
    }
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
    used = machine(&interrupts) - used_before - (double)kernel / ticks;
    interrupts -= interrupts_before;
    close(proc);
    fprintf(file, "# CPU time: %.2f s written, %.2f s used, %.2f s of interrupts\n# recorded %.2f s\n",
            (double)written / ticks, used, interrupts, time);
    if (fclose(file) != 0) return complain("write to", path);
    printf("%s: %.2f s, %lu new processes, %.2f s of CPU time\n", path, time, processes_seen, (double)written / ticks);
    printf("the kernel counts %.2f s of CPU time, of which %.1f %% were written; with %.2f s of interrupts, %.1f %%\n",
           used, 100 * (double)written / ticks / used, interrupts, 100 * (double)written / ticks / (used + interrupts));
    return 0;
}

static const char usage[] = "record_load [--for SECONDS] [--every SECONDS] [--hide-names] FILE.csv   records for a "
                            "day, one sample per second\n";

int main(int argc, char **argv)
{
    const char *path = NULL;
    double span = 86400, every = 1;
    struct sigaction end;

    for (int i = 1; i < argc; ++i) {
        double *value = strcmp(argv[i], "--for") == 0 ? &span : strcmp(argv[i], "--every") == 0 ? &every : NULL;
        char *rest = NULL;
        if (strcmp(argv[i], "--help") == 0) return fputs(usage, stdout), 0;
        if (strcmp(argv[i], "--hide-names") == 0)
            hiding = true;
        else if (value && i + 1 < argc) {
            *value = strtod(argv[++i], &rest);
            if (*rest || !(*value >= 0.01 && *value <= 1e9))
                return fprintf(stderr, "record_load: %s %s: expected 0.01 to 1e9 seconds\n", argv[i - 1], argv[i]), 1;
        } else if (*argv[i] != '-' && !path)
            path = argv[i];
        else
            return fprintf(stderr, "record_load: unknown argument %s\n%s", argv[i], usage), 1;
    }
    if (argc == 1) return fputs(usage, stdout), 0;
    if (!path) return fprintf(stderr, "record_load: expected the name of a file to write\n%s", usage), 1;
    memset(&end, 0, sizeof end);
    end.sa_handler = stop;
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGTERM, &end, NULL);
    ticks = (double)sysconf(_SC_CLK_TCK);
    return record(path, span, every);
}
