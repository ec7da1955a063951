/* simthreads.c - runs a threaded program on the virtual clock with several numbers of cores; prints its speed-up,
 * and why it is not larger. */
#define _GNU_SOURCE
#include "../interval.h"
#include "../svg.h"
#include "../why.h"
#include "demand.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DEMAND_ROUNDS = 4 };
enum { MOST_RUNS = 32, MOST_FRAMES = 6, NAME = 160, KINDS = 13, KIND_JOIN = 10, KIND_SLEEP = 11, MOST_CORES = 1024 };

/* A place where threads waited, and the object that they waited for; one for all objects that look the same. */
typedef struct wait_of {
    char what[NAME], where[3 * NAME], holder[NAME];
    double waited, longest;
    unsigned long long waits;
} wait_of;

typedef struct group {
    char name[NAME];
    unsigned long long threads;
    double cpu, computed, waking, alone, waited[KINDS];
} group;

typedef struct run {
    unsigned cores, threads;
    double time, cpu, looked;       /* [s] */
    double shortest, quantum;       /* of computing without a call [s] */
    double running[MOST_CORES + 1]; /* virtual time with so many threads that want a core; the last one: or more [s] */
    group *groups;
    size_t group_count;
    wait_of *waits;
    size_t wait_count;
    why_row *path; /* the critical path, if it is asked for */
    size_t path_count;
    int status; /* with which the program ended */
    bool complete;
} run;

static struct {
    unsigned cores[MOST_RUNS];
    int count;
    const char *svg, *csv, *wake, *spin, *quantum, *charge, *demand, *memory[3], *disk[3];
    const char *json;
    bool all_output, quiet, why;
    int top;
} option = { .top = 5 };

static void __attribute__((noreturn, format(printf, 1, 2))) stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("simthreads: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

static void *grown(void *array, size_t count, size_t bytes)
{
    if (count & (count - 1)) return array; /* doubled when the count is a power of two */
    void *larger = realloc(array, (count ? 2 * count : 1) * bytes);
    if (!larger) stop("no memory");
    return larger;
}

/*=============================================================================
 * MARK: - >>names of addresses
 *===========================================================================*/

/* An address is written as MODULE+0xOFFSET. */

typedef struct named {
    struct named *next;
    char address[PATH_MAX], name[NAME];
} named;

static named *names;

/* A command without a shell, since modules may have any name. Its output, or NULL. */
static FILE *command_open(char *const *words, pid_t *child)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return NULL;
    *child = fork();
    if (*child == 0) {
        const int none = open("/dev/null", O_WRONLY);
        dup2(ends[1], STDOUT_FILENO);
        if (none >= 0) dup2(none, STDERR_FILENO);
        execvp(words[0], words);
        _exit(127);
    }
    close(ends[1]);
    return fdopen(ends[0], "r");
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The variable or the function that an address belongs to, if symbols say so. */
static bool symbol_name(const char *option, const char *kinds, char *module, unsigned long long offset, char *name)
{
    char line[1024], symbol[900], kind, words_of[16];
    char *words[] = { (char[]){ "nm" }, words_of, (char[]){ "--defined-only" }, module, NULL };
    unsigned long long from, size;
    pid_t child;
    bool found = false;
    snprintf(words_of, sizeof words_of, "%s", option);
    FILE *output = command_open(words, &child);
    if (!output) return false;
    while (fgets(line, sizeof line, output))
        if (sscanf(line, "%llx %llx %c %899[^\n]", &from, &size, &kind, symbol) == 4 && strchr(kinds, kind) &&
            offset >= from && offset < from + size) {
            char *arguments = strchr(symbol, '(');
            if (arguments && arguments != symbol) *arguments = 0;
            if (offset == from || strchr(kinds, 't'))
                snprintf(name, NAME, "%.120s%s", symbol, strchr(kinds, 't') ? "()" : "");
            else
                snprintf(name, NAME, "%.120s+%llu", symbol, offset - from);
            found = true;
        }
    fclose(output);
    waitpid(child, NULL, 0);
    return found;
}

static bool data_name(char *module, unsigned long long offset, char *name)
{
    return symbol_name("-CS", "bBdDuVvGg", module, offset, name) ||
           symbol_name("-CDS", "bBdDuVvGg", module, offset, name);
}

/* The function and line of code before an address: "take queue.c:12". */
static bool code_name(char *module, unsigned long long offset, char *name)
{
    char where[32], function[512] = "", line[1024] = "";
    char *words[] = { (char[]){ "addr2line" }, (char[]){ "-Cfe" }, module, where, NULL };
    pid_t child;
    snprintf(where, sizeof where, "0x%llx", offset - 1);
    FILE *output = command_open(words, &child);
    if (!output) return false;
    if (!fgets(function, sizeof function, output) || !fgets(line, sizeof line, output)) *function = 0;
    fclose(output);
    waitpid(child, NULL, 0);
    function[strcspn(function, "\n")] = 0;
    line[strcspn(line, " \n")] = 0;
    if (!*function || strcmp(function, "??") == 0) return false;
    char *arguments = strchr(function, '('); /* of C++ */
    if (arguments && arguments != function && !strstr(function, "(anonymous") && !strstr(function, "{lambda"))
        *arguments = 0;
    if (*line == '?') /* without lines addr2line takes the nearest symbol, even if it is of another function */
        return symbol_name("-CS", "tTwWi", module, offset - 1, name) ||
               symbol_name("-CDS", "tTwWi", module, offset - 1, name);
    snprintf(name, NAME, "%.90s() %.60s", function, last_part(line));
    return true;
}

/* Empty: it has no name. */
static const char *name_of(const char *address, bool code)
{
    for (const named *n = names; n; n = n->next)
        if (strcmp(n->address, address) == 0) return n->name;
    named *n = calloc(1, sizeof *n);
    char module[PATH_MAX];
    if (!n) stop("no memory");
    snprintf(n->address, sizeof n->address, "%s", address);
    snprintf(module, sizeof module, "%s", address);
    char *plus = strrchr(module, '+');
    if (plus) {
        *plus = 0;
        const unsigned long long offset = strtoull(plus + 1, NULL, 16);
        if (!(code ? code_name(module, offset, n->name) : data_name(module, offset, n->name)) && code)
            snprintf(n->name, NAME, "%.100s+0x%llx", last_part(module), offset);
    }
    n->next = names;
    names = n;
    return n->name;
}

/*=============================================================================
 * MARK: - >>reports of runs
 *===========================================================================*/

static char *word(char **rest)
{
    static char none[1];
    char *begin = *rest;
    if (!begin) return none;
    char *tab = strchr(begin, '\t');
    if (tab) *tab = 0;
    *rest = tab ? tab + 1 : NULL;
    return begin;
}

static double value(char **rest)
{
    return strtod(word(rest), NULL);
}

/* True if a frame is in a library below the program, which tells nothing. */
static bool below(const char *address)
{
    static const char *const libraries[] = { "libstdc++.so", "libc.so", "libpthread.so", "ld-linux" };
    const char *name = last_part(address);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; ++i)
        if (strncmp(name, libraries[i], strlen(libraries[i])) == 0) return true;
    return false;
}

static void site_read(run *r, const char *object, char *rest)
{
    wait_of w;
    memset(&w, 0, sizeof w);
    w.waits = strtoull(word(&rest), NULL, 10);
    w.waited = value(&rest);
    w.longest = value(&rest);
    const char *holder = word(&rest);
    if (strcmp(holder, "-") != 0) snprintf(w.holder, sizeof w.holder, "%s", name_of(holder, true));
    const char *before = "";
    for (int shown = 0; rest && shown < 3;) {
        const char *frame = word(&rest);
        if (below(frame)) continue;
        const char *name = name_of(frame, true);
        if (strcmp(name, before) == 0) continue;
        if (strlen(w.where) + strlen(name) + 10 > sizeof w.where) break;
        if (shown++) strcat(w.where, " < ");
        strcat(w.where, name);
        before = name;
    }
    snprintf(w.what, sizeof w.what, "%s", object);
    for (size_t i = 0; i < r->wait_count; ++i)
        if (strcmp(r->waits[i].what, w.what) == 0 && strcmp(r->waits[i].where, w.where) == 0) {
            r->waits[i].waits += w.waits;
            r->waits[i].waited += w.waited;
            if (w.longest > r->waits[i].longest) r->waits[i].longest = w.longest;
            return;
        }
    r->waits = grown(r->waits, r->wait_count, sizeof w);
    r->waits[r->wait_count++] = w;
}

/* The first function of threads, and their name if they have one. */
static void group_name(char group[NAME], const char *entry, const char *name)
{
    char address[PATH_MAX], text[NAME]; /* name_of() looks at the byte before */
    const char *plus = strrchr(entry, '+');
    if (strcmp(entry, "main") == 0) {
        snprintf(group, NAME, "main()");
        return;
    }
    snprintf(address, sizeof address, "%s", entry);
    if (plus)
        snprintf(address, sizeof address, "%.*s+0x%llx", (int)(plus - entry), entry, strtoull(plus + 1, NULL, 16) + 1);
    snprintf(text, sizeof text, "%s", name_of(address, true));
    text[strcspn(text, " ")] = 0;
    if (*name)
        snprintf(group, NAME, "%.100s, \"%.32s\"", text, name);
    else
        snprintf(group, NAME, "%s", text);
}

/* An object that threads wait for. */
static void object_name(char object[NAME], const char *what, const char *address, const char *name)
{
    if (!*name && *address && strcmp(what, "join") != 0 && strcmp(what, "files") != 0) name = name_of(address, false);
    snprintf(object, NAME, "%.20s%s%.120s", what, *name ? " " : "", name);
}

/* A row of the critical path. */
static void path_read(run *r, char *rest)
{
    static const char *const reasons[] = { "computing", "waiting", "waking" };
    char group[NAME], object[NAME];
    why_row row;
    memset(&row, 0, sizeof row);
    const char *kind = word(&rest), *entry = word(&rest), *what = word(&rest), *address = word(&rest),
               *name = word(&rest);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; ++i)
        if (strcmp(kind, reasons[i]) == 0) row.what = reasons[i];
    if (!row.what) return;
    group_name(group, entry, "");
    object_name(object, what, address, name);
    snprintf(row.who, sizeof row.who, "%.39s", group);
    if (*what)
        snprintf(row.where, sizeof row.where, "%s%.60s", strcmp(kind, "waiting") == 0 ? "" : "ends a wait: ", object);
    row.seconds = value(&rest);
    row.pieces = strtoul(word(&rest), NULL, 10);
    r->path = grown(r->path, r->path_count, sizeof row);
    r->path[r->path_count++] = row;
}

static void report_read(run *r, const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL, object[NAME] = "";
    size_t room = 0;
    if (!file) return;
    while (getline(&line, &room, file) > 0) {
        char *rest = line;
        line[strcspn(line, "\n")] = 0;
        const char *kind = word(&rest);
        if (strcmp(kind, "run") == 0) {
            r->cores = (unsigned)value(&rest);
            r->time = value(&rest);
            r->cpu = value(&rest);
            r->threads = (unsigned)value(&rest);
        } else if (strcmp(kind, "looked") == 0) {
            r->looked = value(&rest);
        } else if (strcmp(kind, "quantum") == 0) {
            r->shortest = value(&rest);
            r->quantum = value(&rest);
        } else if (strcmp(kind, "running") == 0) {
            const double threads = value(&rest);
            r->running[threads < MOST_CORES ? (int)threads : MOST_CORES] += value(&rest);
        } else if (strcmp(kind, "threads") == 0) {
            group g;
            memset(&g, 0, sizeof g);
            const char *entry = word(&rest), *name = word(&rest);
            group_name(g.name, entry, name);
            g.threads = strtoull(word(&rest), NULL, 10);
            g.cpu = value(&rest);
            g.computed = value(&rest);
            g.waking = value(&rest);
            g.alone = value(&rest);
            for (int i = 0; i < KINDS; ++i) g.waited[i] = value(&rest);
            r->groups = grown(r->groups, r->group_count, sizeof g);
            r->groups[r->group_count++] = g;
        } else if (strcmp(kind, "object") == 0) {
            const char *what = word(&rest), *address = word(&rest), *name = word(&rest);
            object_name(object, what, address, name);
        } else if (strcmp(kind, "path") == 0) {
            path_read(r, rest);
        } else if (strcmp(kind, "site") == 0) {
            site_read(r, object, rest);
        } else if (strcmp(kind, "end") == 0) {
            r->complete = true;
        }
    }
    free(line);
    fclose(file);
}

/*=============================================================================
 * MARK: - >>wake-ups
 *===========================================================================*/

/* Two threads throw a ball to measure the time of a wake-up on this machine. */
static uint32_t ball;
enum { PASSES = 400 };

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool spinning; /* instead of sleeping */

static void pass(uint32_t from, uint32_t to)
{
    uint32_t seen;
    while ((seen = __atomic_load_n(&ball, __ATOMIC_ACQUIRE)) != from)
        if (!spinning) syscall(SYS_futex, &ball, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    __atomic_store_n(&ball, to, __ATOMIC_RELEASE);
    if (!spinning) syscall(SYS_futex, &ball, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *pass_back(void *processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(*(size_t *)processor, &set);
    sched_setaffinity(0, sizeof set, &set);
    for (int i = 0; i < PASSES; ++i) pass(1, 0);
    return NULL;
}

/* Two threads on two processors pass the turn to and fro: the median of half of a round [s]. `unmeasured` if there is one processor. */
static double wake_measured(bool spins, double unmeasured)
{
    cpu_set_t allowed, one;
    size_t processors[2], found = 0;
    double times[PASSES];
    pthread_t other;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return unmeasured;
    for (size_t i = 0; i < CPU_SETSIZE && found < 2; ++i)
        if (CPU_ISSET(i, &allowed)) processors[found++] = i;
    if (found < 2) return unmeasured;
    CPU_ZERO(&one);
    CPU_SET(processors[0], &one);
    sched_setaffinity(0, sizeof one, &one);
    spinning = spins;
    if (pthread_create(&other, NULL, pass_back, &processors[1]) != 0) return unmeasured;
    for (int i = 0; i < PASSES; ++i) {
        const double begin = seconds_now();
        pass(0, 1);
        while (__atomic_load_n(&ball, __ATOMIC_ACQUIRE) != 0)
            if (!spinning) syscall(SYS_futex, &ball, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
        times[i] = (seconds_now() - begin) / 2;
    }
    pthread_join(other, NULL);
    sched_setaffinity(0, sizeof allowed, &allowed);
    for (int i = 0; i < PASSES; ++i)
        for (int k = i; k > 0 && times[k - 1] > times[k]; --k) {
            const double t = times[k];
            times[k] = times[k - 1];
            times[k - 1] = t;
        }
    return times[PASSES / 2];
}

/*=============================================================================
 * MARK: - >>running
 *===========================================================================*/

static char library[PATH_MAX];

static void library_find(void)
{
    const ssize_t length = readlink("/proc/self/exe", library, sizeof library - 32);
    if (length <= 0) stop("/proc/self/exe cannot be read: %s", strerror(errno));
    library[length] = 0;
    strcpy(strrchr(library, '/') + 1, "libsimthreads.so");
    if (access(library, R_OK) != 0) stop("%s: %s; it belongs beside this program", library, strerror(errno));
}

static const char *const disk_settings[3][2] = { { "--disk-cache", "SIMTHREADS_DISK_CACHE" },
                                                 { "--disk-bandwidth", "SIMTHREADS_DISK_BANDWIDTH" },
                                                 { "--disk-latency", "SIMTHREADS_DISK_LATENCY" } };

/* What --demand finds, in the order of its file. */
static const char *const memory_settings[3][2] = { { "--reload", "SIMTHREADS_RELOAD" },
                                                   { "--memory-rate", "SIMTHREADS_MEMORY_RATE" },
                                                   { "--memory-bandwidth", "SIMTHREADS_MEMORY_BANDWIDTH" } };

/* 3: the option is none of these. */
static int setting_of(const char *const settings[3][2], const char *name)
{
    int i = 0;
    while (i < 3 && strcmp(settings[i][0], name) != 0) ++i;
    return i;
}

/* {cores} in an argument stands for their number. */
static char *filled(const char *argument, unsigned cores)
{
    const char *place = strstr(argument, "{cores}");
    char *text = NULL;
    if (!place) return strdup(argument);
    if (asprintf(&text, "%.*s%u%s", (int)(place - argument), argument, cores, place + 7) < 0) stop("no memory");
    return text;
}

/* Input that cannot be read twice is copied to a file. */
static void input_keep(void)
{
    char buffer[65536], path[] = "/tmp/simthreads-input-XXXXXX";
    ssize_t bytes;
    if (option.count < 2 || isatty(STDIN_FILENO) || lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0) return;
    const int file = mkstemp(path);
    if (file < 0) stop("%s: %s", path, strerror(errno));
    unlink(path);
    while ((bytes = read(STDIN_FILENO, buffer, sizeof buffer)) > 0)
        if (write(file, buffer, (size_t)bytes) != bytes)
            stop("standard input cannot be copied to /tmp: %s", strerror(errno));
    lseek(file, 0, SEEK_SET);
    dup2(file, STDIN_FILENO);
    close(file);
}

static void child_run(unsigned cores, bool first, const char *report, char **argv)
{
    char number[16], *preload = NULL, *const before = getenv("LD_PRELOAD");
    snprintf(number, sizeof number, "%u", cores);
    setenv("SIMTHREADS_CORES", number, 1);
    char process[16];
    snprintf(process, sizeof process, "%ld", (long)getpid());
    setenv("SIMTHREADS_PROCESS", process, 1); /* the one that reports; not those that it starts */
    setenv("SIMTHREADS_REPORT", report, 1);
    if (option.wake) setenv("SIMTHREADS_WAKE", option.wake, 1);
    if (option.quantum) setenv("SIMTHREADS_QUANTUM", option.quantum, 1);
    if (option.charge) setenv("SIMTHREADS_CHARGE", option.charge, 1);
    if (option.why || option.json) setenv("SIMTHREADS_WHY", "1", 1);
    for (int i = 0; i < 3; ++i)
        if (option.disk[i]) setenv(disk_settings[i][1], option.disk[i], 1);
    for (int i = 0; i < 3; ++i)
        if (option.memory[i]) setenv(memory_settings[i][1], option.memory[i], 1);
    /* Threads of OpenMP wait actively where there are enough processors. On one real processor that takes whole
     * quanta, which are charged: a program would be predicted up to a hundred times too slow. So they wait passively, and the library
     * lets them go on as if they had spun. */
    if (!getenv("OMP_WAIT_POLICY") && !getenv("GOMP_SPINCOUNT") && !getenv("KMP_BLOCKTIME")) {
        setenv("OMP_WAIT_POLICY", "passive", 1);
        if (option.spin) setenv("SIMTHREADS_SPIN", option.spin, 1);
    }
    if (asprintf(&preload, "%s%s%s", library, before ? ":" : "", before ? before : "") < 0) stop("no memory");
    setenv("LD_PRELOAD", preload, 1);
    if (option.quiet || (!first && !option.all_output)) {
        const int none = open("/dev/null", O_WRONLY);
        if (none >= 0) dup2(none, STDOUT_FILENO);
    }
    lseek(STDIN_FILENO, 0, SEEK_SET);
    for (char **a = argv; *a; ++a) *a = filled(*a, cores);
    personality(ADDR_NO_RANDOMIZE);
    execvp(argv[0], argv);
    fprintf(stderr, "simthreads: %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

/* What the program demands of cache and memory: as it is in the file, or as it is measured now. Options that were given stay. */
static void demand_find(char **argv)
{
    static char values[3][32], text[512];
    double value[3];
    char unit[3][16];
    FILE *file = fopen(option.demand, "r");
    if (!file && errno != ENOENT) stop("--demand %s: %s", option.demand, strerror(errno));
    if (!file) {
        demand d;
        int count = 0;
        while (argv[count]) ++count;
        char **one = calloc((size_t)count + 1, sizeof *one);
        if (!one) stop("no memory");
        for (int i = 0; i < count; ++i) one[i] = filled(argv[i], 1);
        const char *wrong = demand_measure(&d, DEMAND_ROUNDS, one, text, sizeof text);
        for (int i = 0; i < count; ++i) free(one[i]);
        free(one);
        if (wrong) stop("--demand: %s %s", argv[0], wrong);
        file = fopen(option.demand, "w");
        if (!file ||
            fprintf(file, "reload %.6g s\nmemory-rate %.6g B/s\nmemory-bandwidth %.6g B/s\n", d.reload, d.rate,
                    d.bandwidth) < 0 ||
            fclose(file) != 0 || !(file = fopen(option.demand, "r")))
            stop("--demand %s: %s", option.demand, strerror(errno));
        fprintf(stderr, "simthreads: %s beside known loads: %s\n", last_part(argv[0]), text);
    }
    if (fscanf(file, "reload %lf %15s memory-rate %lf %15s memory-bandwidth %lf %15s", &value[0], unit[0], &value[1],
               unit[1], &value[2], unit[2]) != 6 ||
        strcmp(unit[0], "s") != 0 || strcmp(unit[1], "B/s") != 0 || strcmp(unit[2], "B/s") != 0)
        stop("--demand %s: expected the lines `reload NUMBER s`, `memory-rate NUMBER B/s` and `memory-bandwidth NUMBER "
             "B/s`; without the file, "
             "they are measured",
             option.demand);
    fclose(file);
    for (int i = 0; i < 3; ++i) {
        snprintf(values[i], sizeof values[i], "%.6g", value[i]);
        if (!option.memory[i]) option.memory[i] = values[i];
    }
}

static void program_run(run *r, unsigned cores, bool first, char **argv)
{
    char report[] = "/tmp/simthreads-XXXXXX";
    int status;
    const int file = mkstemp(report);
    if (file < 0) stop("%s: %s", report, strerror(errno));
    close(file);
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) stop("no process: %s", strerror(errno));
    if (child == 0) child_run(cores, first, report, argv);
    waitpid(child, &status, 0);
    report_read(r, report);
    unlink(report);
    if (WIFSIGNALED(status))
        stop("%s with %u cores was killed by signal %d (%s)", argv[0], cores, WTERMSIG(status),
             strsignal(WTERMSIG(status)));
    r->status = WEXITSTATUS(status);
    if (r->status != 0)
        fprintf(stderr, "simthreads: %s with %u core%s ended with status %d\n", argv[0], cores, cores == 1 ? "" : "s",
                r->status);
    if (r->status != 0 && !r->complete) exit(r->status);
    if (!r->complete)
        stop("%s did not report: it is linked statically, or replaced itself by a program that is, or is allowed more "
             "than its user (setuid)",
             argv[0]);
}

/*=============================================================================
 * MARK: - >>telling
 *===========================================================================*/

/* Over the run with the fewest cores, which is the first. */
static double speed_up(const run *runs, int i)
{
    return runs[0].time / runs[i].time;
}

static double ideal(const run *runs, int i)
{
    return (double)runs[i].cores / runs[0].cores;
}

/* Cores times seconds, by what their threads did: 0 used, 1 idle while one thread computes, 2 while some do, 3 while
 * none. */
static void parts_of(const run *r, double part[4])
{
    const double all = r->time * r->cores;
    part[0] = part[1] = part[2] = part[3] = 0;
    for (int n = 0; n <= MOST_CORES; ++n) {
        const double used = fmin(n, r->cores);
        part[0] += used * r->running[n];
        part[n == 0 ? 3 : n == 1 ? 1 : 2] += (r->cores - used) * r->running[n];
    }
    for (int i = 0; i < 4; ++i) part[i] = all > 0 ? 100 * part[i] / all : 0;
}

static void curve_print(const run *runs)
{
    char over[32] = "";
    if (runs[0].cores > 1) snprintf(over, sizeof over, "over %u", runs[0].cores);
    printf("%6s %12s %9s %11s   %s\n%6s %12s %9s %11s   %9s %9s %9s\n", "cores", "time [s]", "speed-up", "efficiency",
           "idle cores, while", "", "", over, "[%]", "one works", "some do", "none does");
    for (int i = 0; i < option.count; ++i) {
        double part[4];
        parts_of(&runs[i], part);
        printf("%6u %12.6f %9.2f %11.1f   %9.1f %9.1f %9.1f   |", runs[i].cores, runs[i].time, speed_up(runs, i),
               100 * speed_up(runs, i) / ideal(runs, i), part[1], part[2], part[3]);
        const double full = log2(1 + ideal(runs, option.count - 1)), bar = 24 * log2(1 + speed_up(runs, i)) / full;
        const int most = (int)(24 * log2(1 + ideal(runs, i)) / full + 0.5);
        for (int k = 0; k < most || k < (int)(bar + 0.5); ++k) putchar(k < (int)(bar + 0.5) ? '#' : '.');
        putchar('\n');
    }
}

/* Where a real run is expected, if times are measured. */
static void interval_say(const run *runs)
{
    const residuals *family = interval_family("openmp");
    const unsigned reasons = interval_larger(family, runs[option.count - 1].cores);
    const interval in = interval_of(family, 0, 1, 0), larger = interval_of(family, reasons, 1, 0);
    if (option.charge) return;
    printf("A real run is expected to take %.2f to %.2f times as long with 80 %% probability, %.2f to %.2f times with "
           "95 %%:\n"
           "so %d real runs of programs with OpenMP did, on 1 and %d cores",
           in.low[0], in.high[0], in.low[1], in.high[1], family->runs, family->most);
    if (reasons)
        printf("; on more than %d cores,\n%.2f to %.2f times and %.2f to %.2f times are expected, as nothing like it "
               "has been compared.\n",
               INTERVAL_MOST * family->most, larger.low[0], larger.high[0], larger.low[1], larger.high[1]);
    else
        puts(runs[option.count - 1].cores > (unsigned)family->most ? "; with more, none have been compared." : ".");
}

static int by_waiting(const void *a, const void *b)
{
    const double x = ((const wait_of *)a)->waited, y = ((const wait_of *)b)->waited;
    return (x < y) - (x > y);
}

static void reasons_print(run *r)
{
    double part[4];
    parts_of(r, part);
    if (option.wake)
        printf("\nA thread that is woken on an idle core runs after %.3g us.", 1e6 * strtod(option.wake, NULL));
    printf("\nWith %u cores: %u threads, %.6f s; the cores are used to %.1f %%.\n", r->cores, r->threads, r->time,
           part[0]);
    if (r->shortest < r->quantum)
        printf("The quantum was %.2g to %.2g ms, because threads with little to do waited while others were ahead.\n",
               1e3 * r->shortest, 1e3 * r->quantum);
    printf("One thread alone wants a core for %.6f s (%.1f %% of the time)", r->running[1],
           r->time > 0 ? 100 * r->running[1] / r->time : 0);
    for (int told = 0; told < 3; ++told) {
        group *most = NULL;
        for (size_t i = 0; i < r->group_count; ++i)
            if (r->groups[i].alone > 0.01 * r->time && (!most || r->groups[i].alone > most->alone))
                most = &r->groups[i];
        if (!most) break;
        printf("%s %.6f s of %s", told ? "," : ":", most->alone, most->name);
        most->alone = 0;
    }
    printf("; none for %.6f s.\n", r->running[0]);
    if (r->looked > 0)
        printf("CPU time of loops that only look at a clock until some time has come: %.6f s.\n", r->looked);
    printf("\n%-36s %7s %10s %10s %10s %10s %10s\n", "threads", "number", "CPU [s]", "no core", "locks etc.", "join",
           "sleep");
    for (size_t i = 0; i < r->group_count; ++i) {
        const group *g = &r->groups[i];
        double locks = 0;
        for (int k = 0; k < KIND_JOIN; ++k) locks += g->waited[k];
        printf("%-36.36s %7llu %10.4f %10.4f %10.4f %10.4f %10.4f\n", g->name, g->threads, g->cpu,
               g->computed > g->cpu ? g->computed - g->cpu : 0, locks, g->waited[KIND_JOIN], g->waited[KIND_SLEEP]);
    }
    qsort(r->waits, r->wait_count, sizeof *r->waits, by_waiting);
    int shown = 0;
    for (size_t i = 0; i < r->wait_count && shown < option.top; ++i) {
        const wait_of *w = &r->waits[i];
        if (strncmp(w->what, "join", 4) == 0 || w->waited < 0.001 * r->time) continue;
        if (shown++ == 0) printf("\n%12s %9s %12s   %s\n", "waited [s]", "times", "longest [s]", "for what, and where");
        printf("%12.6f %9llu %12.6f   %s in %s\n", w->waited, w->waits, w->longest, w->what, w->where);
        if (*w->holder) printf("%38s locked by %s\n", "", w->holder);
    }
    if (shown == 0) puts("\nThreads hardly waited for each other.");
}

/* The critical path of a run, as a table and as JSON. */
static bool path_tell(run *r)
{
    if (r->path_count > 0) qsort(r->path, r->path_count, sizeof *r->path, why_by_seconds);
    if (option.why) {
        putchar('\n');
        why_print(stdout, r->path, r->path_count, r->time, 25);
    }
    if (!option.json) return true;
    FILE *file = fopen(option.json, "w");
    if (file) {
        why_json_begin(file, "simthreads", r->time);
        fprintf(file, ",\n  \"cores\": %u", r->cores);
        why_json_path(file, r->path, r->path_count);
        fputs("\n}\n", file);
    }
    if (file && fclose(file) == 0) return true;
    fprintf(stderr, "simthreads: --json %s: %s\n", option.json, strerror(errno));
    return false;
}

static bool curve_draw(const run *runs, const char *program)
{
    svg s;
    char title[NAME], over[32] = "";
    static char labels[MOST_RUNS][16], ideals[MOST_RUNS][16];
    svg_mark marks[MOST_RUNS], up_marks[MOST_RUNS];
    const double last = runs[option.count - 1].cores, most = ideal(runs, option.count - 1);
    for (int i = 0; i < option.count; ++i) {
        snprintf(labels[i], sizeof labels[i], "%u", runs[i].cores);
        snprintf(ideals[i], sizeof ideals[i], "%.3g", ideal(runs, i));
        marks[i] = (svg_mark){ runs[i].cores, labels[i] };
        up_marks[i] = (svg_mark){ ideal(runs, i), ideals[i] };
    }
    if (runs[0].cores > 1) snprintf(over, sizeof over, ", over %u cores", runs[0].cores);
    snprintf(title, sizeof title, "Predicted speed-up of %.100s%s", last_part(program), over);
    svg_open(&s, option.svg, title, 760, 460);
    const svg_axis axis = { .label = "cores",
                            .from = runs[0].cores,
                            .to = last > runs[0].cores ? last : runs[0].cores + 1.0,
                            .unit = "",
                            .marks = marks,
                            .mark_count = option.count };
    svg_axis up = { .label = "speed-up",
                    .from = 1,
                    .to = most > 1 ? most : 1 + 1.0 / runs[0].cores,
                    .unit = "",
                    .marks = up_marks,
                    .mark_count = option.count };
    for (int i = 0; i < option.count; ++i)
        if (speed_up(runs, i) < up.from) up.from = speed_up(runs, i);
    svg_plot(&s, 80, 570, axis, up);
    svg_begin(&s, SVG_DASHED, "#777777", runs[0].cores > 1 ? "as many times as cores" : "as many as cores");
    svg_at(&s, runs[0].cores, 1);
    svg_at(&s, axis.to, up.to);
    svg_end(&s);
    svg_begin(&s, SVG_LINE, svg_colours[0], "predicted");
    for (int i = 0; i < option.count; ++i) svg_at(&s, runs[i].cores, fmin(speed_up(runs, i), up.to));
    svg_end(&s);
    svg_begin(&s, SVG_POINTS, svg_colours[0], NULL);
    for (int i = 0; i < option.count; ++i) svg_at(&s, runs[i].cores, fmin(speed_up(runs, i), up.to));
    svg_end(&s);
    return svg_close(&s);
}

static bool table_write(const run *runs)
{
    FILE *file = fopen(option.csv, "w");
    if (!file) {
        perror(option.csv);
        return false;
    }
    fputs("cores,time,speed_up", file);
    if (runs[0].cores > 1) fprintf(file, "_over_%u", runs[0].cores);
    fputs(",cpu,one_works,some_do,none_does\n", file);
    for (int i = 0; i < option.count; ++i) {
        double part[4];
        parts_of(&runs[i], part);
        fprintf(file, "%u,%.9g,%.6g,%.9g,%.4g,%.4g,%.4g\n", runs[i].cores, runs[i].time, speed_up(runs, i), runs[i].cpu,
                part[1], part[2], part[3]);
    }
    return fclose(file) == 0;
}

/*=============================================================================
 * MARK: - >>options
 *===========================================================================*/

static void usage(FILE *file)
{
    fputs(
        "simthreads [OPTION]... PROGRAM [ARGUMENT]...\n"
        "  runs a threaded program on a virtual clock, once for each number of cores, and prints its speed-up and why "
        "it is\n"
        "  not larger. {cores} in an argument stands for their number. The program's output is that of the first run.\n"
        "    --cores 1,2,4    numbers of cores; default: 1,2,4,8,16,32; speed-ups are over the first of them\n"
        "    --svg FILE       draws the speed-up\n"
        "    --csv FILE       writes the curve as a table\n"
        "    --why            the critical path of the last run: which threads compute, until which lock, join or "
        "barrier\n"
        "    --json FILE      writes it as JSON: docs/why.md\n"
        "    --top N          so many of the longest waits are shown; default: 5\n"
        "    --output all     the output of every run; none: of no run; default: first\n"
        "    --wake SECONDS   what it takes to wake a thread on an idle core; default: measured now\n"
        "    --spin SECONDS   until a thread of OpenMP goes on that spins, before it sleeps; default: measured now;\n"
        "                     0: it sleeps at once\n"
        "    --quantum SECONDS  how long a thread computes ahead of the others without a call; default: 3e-3; 0: for "
        "ever\n"
        "    --demand FILE    finds what the program demands of cache and memory, by running it beside known loads, "
        "and keeps\n"
        "                     it in FILE; where that is there already, it is read. It sets what follows:\n"
        "    --reload SECONDS CPU time to load the data of a thread into the cache again after others had the core;\n"
        "                     not charged where each thread has a core; default: 0\n"
        "    --memory-rate, --memory-bandwidth BYTES/SECOND  that a thread moves in its CPU time, that all cores "
        "share; default:\n"
        "                     no limit\n"
        "    --disk-cache BYTES, --disk-bandwidth BYTES/SECOND, --disk-latency SECONDS  the disk; default: reading and "
        "writing\n"
        "                     take CPU time only, and fsync() as long as on this machine\n"
        "    --charge SECONDS measures nothing and charges so much for each call: the same bits in every run\n",
        file);
}

static void cores_read(const char *text)
{
    option.count = 0;
    for (const char *at = text;; ++at) {
        char *end;
        const long cores = strtol(at, &end, 10);
        if (end == at || cores < 1 || cores > MOST_CORES || (*end && *end != ','))
            stop("--cores %s: expected whole numbers from 1 to %d with commas between them", text, MOST_CORES);
        if (option.count == MOST_RUNS) stop("--cores %s: expected at most %d numbers", text, MOST_RUNS);
        if (option.count > 0 && (unsigned)cores <= option.cores[option.count - 1])
            stop("--cores %s: expected numbers that increase", text);
        option.cores[option.count++] = (unsigned)cores;
        if (!*end) break;
        at = end;
    }
}

static char **options_read(char **argv)
{
    cores_read("1,2,4,8,16,32");
    for (++argv; *argv && **argv == '-'; argv += 2) {
        const char *name = *argv, *text = argv[1];
        if (strcmp(name, "--") == 0) return argv + 1;
        if (strcmp(name, "--help") == 0) {
            usage(stdout);
            exit(0);
        }
        if (strcmp(name, "--why") == 0) {
            option.why = true;
            --argv;
            continue;
        }
        if (!text) stop("%s: expected a value after it; simthreads --help lists the options", name);
        if (strcmp(name, "--cores") == 0)
            cores_read(text);
        else if (strcmp(name, "--svg") == 0)
            option.svg = text;
        else if (strcmp(name, "--csv") == 0)
            option.csv = text;
        else if (strcmp(name, "--json") == 0)
            option.json = text;
        else if (strcmp(name, "--top") == 0)
            option.top = atoi(text);
        else if (strcmp(name, "--wake") == 0)
            option.wake = text;
        else if (strcmp(name, "--spin") == 0)
            option.spin = text;
        else if (strcmp(name, "--quantum") == 0)
            option.quantum = text;
        else if (strcmp(name, "--charge") == 0)
            option.charge = text;
        else if (strcmp(name, "--demand") == 0)
            option.demand = text;
        else if (setting_of(memory_settings, name) < 3)
            option.memory[setting_of(memory_settings, name)] = text;
        else if (setting_of(disk_settings, name) < 3)
            option.disk[setting_of(disk_settings, name)] = text;
        else if (strcmp(name, "--output") == 0 &&
                 (strcmp(text, "all") == 0 || strcmp(text, "first") == 0 || strcmp(text, "none") == 0)) {
            option.all_output = *text == 'a';
            option.quiet = *text == 'n';
        } else
            stop("%s %s: no such option; simthreads --help lists them", name, text);
    }
    if (!*argv) {
        usage(stderr);
        exit(2);
    }
    return argv;
}

int main(int argc, char **argv)
{
    static run runs[MOST_RUNS];
    char wake[32], spin[32];
    (void)argc;
    argv = options_read(argv);
    library_find();
    input_keep();
    if (!option.wake && !option.charge && !getenv("SIMTHREADS_WAKE")) {
        snprintf(wake, sizeof wake, "%.3g", wake_measured(false, 20e-6));
        option.wake = wake;
    }
    if (!option.spin && !option.charge && !getenv("SIMTHREADS_SPIN")) {
        snprintf(spin, sizeof spin, "%.3g", wake_measured(true, 0.2e-6));
        option.spin = spin;
    }
    if (option.demand && !option.charge) demand_find(argv);
    for (int i = 0; i < option.count; ++i) program_run(&runs[i], option.cores[i], i == 0, argv);
    if (!option.quiet) putchar('\n');
    if (option.count == 1)
        printf("%.6f s on %u core%s\n", runs[0].time, runs[0].cores, runs[0].cores == 1 ? "" : "s");
    else
        curve_print(runs);
    interval_say(runs);
    reasons_print(&runs[option.count - 1]);
    bool good = !option.svg || curve_draw(runs, argv[0]);
    if (option.csv) good = table_write(runs) && good;
    good = path_tell(&runs[option.count - 1]) && good;
    for (int i = 0; i < option.count; ++i)
        if (runs[i].status != 0) return runs[i].status;
    return !good;
}
