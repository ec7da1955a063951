/* machine.c - what a program sees of its machine: as many cores as are simulated. Threads may ask to be bound to some of them, and
 * are told that they are; but the virtual clock shares all cores among all threads. */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

/*=============================================================================
 * MARK: - >>processors
 *===========================================================================*/

THREADS_PUBLIC long sysconf(int name)
{
    THREADS_THROUGH(sysconf, (name));
    if (!threads_real.sysconf) threads_above.prepare();
    return name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF ? (long)threads_set.cores
                                                                        : threads_real.sysconf(name);
}

THREADS_PUBLIC int get_nprocs(void)
{
    THREADS_THROUGH(get_nprocs, ());
    return (int)threads_set.cores;
}

THREADS_PUBLIC int get_nprocs_conf(void)
{
    THREADS_THROUGH(get_nprocs_conf, ());
    return (int)threads_set.cores;
}

/* Threads are on no core of their own. One that asks gets one of those that it may use, by its number. */
static int machine__core_of(const threads_thread *t)
{
    if (!t) return 0;
    if (!t->affinity.chosen) return (int)(t->number % threads_set.cores);
    int left = (int)(t->number % (unsigned)CPU_COUNT(&t->affinity.cores)), core = 0;
    for (; !CPU_ISSET((size_t)core, &t->affinity.cores) || left-- > 0; ++core) continue;
    return core;
}

THREADS_PUBLIC int sched_getcpu(void)
{
    THREADS_THROUGH(sched_getcpu, ());
    return machine__core_of(threads_self());
}

THREADS_PUBLIC int getcpu(unsigned *core, unsigned *node)
{
    if (threads_hushed) return (int)threads_real.syscall(SYS_getcpu, core, node, NULL);
    if (core) *core = (unsigned)sched_getcpu();
    if (node) *node = 0;
    return 0;
}

/*=============================================================================
 * MARK: - >>affinity
 *===========================================================================*/

/* Cores that a thread asked for. The virtual clock shares all cores among all threads. */
static int machine__affinity_get(const threads_thread *t, size_t bytes, cpu_set_t *set)
{
    if (bytes % sizeof(unsigned long) != 0 || 8 * bytes < threads_set.cores) return EINVAL;
    memset(set, 0, bytes);
    for (unsigned i = 0; i < threads_set.cores; ++i)
        if (!t || !t->affinity.chosen || CPU_ISSET(i, &t->affinity.cores)) CPU_SET_S(i, bytes, set);
    return 0;
}

/* Programs linked before glibc 2.3.4 do not say how large their set is: it stands where its size should. No set is
 * so large. */
static void machine__affinity_old(size_t *bytes, const cpu_set_t **set)
{
    if (*bytes <= (size_t)1 << 20) return;
    *set = (const cpu_set_t *)*bytes;
    *bytes = sizeof(cpu_set_t);
}

static int machine__affinity_set(threads_thread *t, size_t bytes, const cpu_set_t *set)
{
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    for (unsigned i = 0; i < threads_set.cores; ++i)
        if (CPU_ISSET_S(i, bytes, set)) CPU_SET(i, &wanted);
    if (CPU_COUNT(&wanted) == 0) return EINVAL;
    if (!t) return 0;
    t->affinity.chosen = true;
    t->affinity.cores = wanted;
    return 0;
}

static threads_thread *machine__process(pid_t process)
{
    if (process == 0) return threads_self();
    for (threads_thread *t = threads_all; t; t = t->next_of_all)
        if (t->task->thread == process) return t;
    return NULL;
}

THREADS_PUBLIC int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set)
{
    THREADS_THROUGH(sched_getaffinity, (process, bytes, set));
    const cpu_set_t *place = set;
    machine__affinity_old(&bytes, &place);
    const int error = machine__affinity_get(machine__process(process), bytes, (cpu_set_t *)(uintptr_t)place);
    if (error) errno = error;
    return error ? -1 : 0;
}

THREADS_PUBLIC int sched_setaffinity(pid_t process, size_t bytes, const cpu_set_t *set)
{
    THREADS_THROUGH(sched_setaffinity, (process, bytes, set));
    machine__affinity_old(&bytes, &set);
    const int error = machine__affinity_set(machine__process(process), bytes, set);
    if (error) errno = error;
    return error ? -1 : 0;
}

/* The OpenMP of clang learns from the kernel how many processors there are. The kernel answers with the bytes that
 * it wrote, and with EFAULT where there is no set. */
static long machine__affinity(int error, long result)
{
    if (error) errno = error;
    return error ? -1 : result;
}

long threads_affinity_get(const long *arguments)
{
    const size_t bytes = (size_t)arguments[1], used = (threads_set.cores + 63) / 64 * sizeof(uint64_t);
    cpu_set_t *set = (cpu_set_t *)(uintptr_t)arguments[2];
    return machine__affinity(set ? machine__affinity_get(machine__process((pid_t)arguments[0]), bytes, set) : EFAULT,
                             (long)(bytes < used ? bytes : used));
}

long threads_affinity_set(const long *arguments)
{
    const cpu_set_t *set = (const cpu_set_t *)(uintptr_t)arguments[2];
    threads_thread *t = machine__process((pid_t)arguments[0]);
    return machine__affinity(set ? machine__affinity_set(t, (size_t)arguments[1], set) : EFAULT, 0);
}

THREADS_PUBLIC int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t *set)
{
    THREADS_THROUGH(pthread_getaffinity_np, (thread, bytes, set));
    const threads_thread *t = threads_find(thread);
    const cpu_set_t *place = set;
    machine__affinity_old(&bytes, &place);
    return t ? machine__affinity_get(t, bytes, (cpu_set_t *)(uintptr_t)place) : ESRCH;
}

THREADS_PUBLIC int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *set)
{
    THREADS_THROUGH(pthread_setaffinity_np, (thread, bytes, set));
    threads_thread *t = threads_find(thread);
    machine__affinity_old(&bytes, &set);
    return t ? machine__affinity_set(t, bytes, set) : ESRCH;
}

/* The processors of this machine to which a thread is bound are none of the program's business. */
THREADS_PUBLIC int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    THREADS_THROUGH(pthread_getattr_np, (thread, attributes));
    static __typeof__(&pthread_getattr_np) real;
    if (!real) *(void **)(void *)&real = threads_real_function("pthread_getattr_np");
    const int error = real(thread, attributes);
    const threads_thread *t = error == 0 ? threads_find(thread) : NULL;
    cpu_set_t set;
    if (!t || machine__affinity_get(t, sizeof set, &set) != 0) return error;
    return pthread_attr_setaffinity_np(attributes, sizeof set, &set);
}

int threads_binding_take(const pthread_attr_t *attributes, threads_binding *b)
{
    b->bound = false;
    if (!attributes || pthread_attr_getaffinity_np(attributes, sizeof b->set, &b->set) != 0) return 0;
    if (CPU_COUNT(&b->set) == CPU_SETSIZE) return 0; /* none is said */
    b->bound = true;
    if (machine__affinity_set(NULL, sizeof b->set, &b->set) != 0) return EINVAL;
    return pthread_attr_setaffinity_np((pthread_attr_t *)(uintptr_t)attributes, 0, &b->set); /* none */
}

void threads_binding_give(const pthread_attr_t *attributes, const threads_binding *b, threads_thread *made)
{
    if (!b->bound) return;
    pthread_attr_setaffinity_np((pthread_attr_t *)(uintptr_t)attributes, sizeof b->set, &b->set);
    if (made) machine__affinity_set(made, sizeof b->set, &b->set);
}

/*=============================================================================
 * MARK: - >>its name
 *===========================================================================*/

/* A rank is on a simulated host. */
static const char *machine__host(void)
{
    return !threads_hushed && threads_rank && threads_engine ? threads_engine->host : NULL;
}

THREADS_PUBLIC int gethostname(char *name, size_t room)
{
    const char *host = machine__host();
    struct utsname real;
    if (!host && uname(&real) == 0) host = real.nodename;
    if (!host) return -1;
    const size_t bytes = strlen(host) + 1;
    memcpy(name, host, bytes < room ? bytes : room);
    if (bytes > room) errno = ENAMETOOLONG;
    return bytes > room ? -1 : 0;
}

THREADS_PUBLIC int uname(struct utsname *about)
{
    static __typeof__(&uname) real;
    if (!real) *(void **)(void *)&real = threads_real_function("uname");
    const int result = real(about);
    if (result == 0 && machine__host()) snprintf(about->nodename, sizeof about->nodename, "%s", machine__host());
    return result;
}

/*=============================================================================
 * MARK: - >>its files
 *
 * Files of the system that say how many processors there are, and which of them the program may use, have other content: the
 * program gets a file in memory instead. The C library reads such files by calls of its own, which are not seen here.
 *===========================================================================*/

/* A file that is being written. */
typedef struct machine_file {
    int file;
    char text[4096];
    size_t used;
} machine_file;

static void machine__flush(machine_file *f)
{
    for (size_t at = 0; at < f->used;) {
        const long written = threads_real.syscall(SYS_write, (long)f->file, f->text + at, f->used - at);
        if (written <= 0) break;
        at += (size_t)written;
    }
    f->used = 0;
}

static void machine__add(machine_file *f, const char *text, size_t length)
{
    if (f->used + length > sizeof f->text) machine__flush(f);
    if (length > sizeof f->text) length = sizeof f->text;
    memcpy(f->text + f->used, text, length);
    f->used += length;
}

static void __attribute__((format(printf, 2, 3))) machine__print(machine_file *f, const char *format, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0) machine__add(f, text, (size_t)length);
}

/* The beginning of a real file. */
static size_t machine__read(const char *path, char *text, size_t room)
{
    size_t used = 0;
    const long file = threads_real.syscall(SYS_openat, (long)AT_FDCWD, path, (long)(O_RDONLY | O_CLOEXEC), 0L);
    text[0] = 0;
    if (file < 0) return 0;
    for (long got; used + 1 < room; used += (size_t)got)
        if ((got = threads_real.syscall(SYS_read, file, text + used, room - 1 - used)) <= 0) break;
    threads_real.syscall(SYS_close, file);
    text[used] = 0;
    return used;
}

/* The length of a line with its end. */
static size_t machine__line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end ? (size_t)(end - text) + 1 : strlen(text);
}

static bool machine__begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* `0-4`, or those of a set. */
static void machine__list(machine_file *f, const cpu_set_t *set)
{
    const char *between = "";
    for (unsigned i = 0; i < threads_set.cores; ++i) {
        unsigned last = i;
        if (!CPU_ISSET(i, set)) continue;
        while (last + 1 < threads_set.cores && CPU_ISSET(last + 1, set)) ++last;
        machine__print(f, last > i ? "%s%u-%u" : "%s%u", between, i, last);
        between = ",";
        i = last;
    }
    machine__print(f, "\n");
}

/* The same as a number in hexadecimal digits, with a comma after each eight. */
static void machine__mask(machine_file *f, const cpu_set_t *set)
{
    for (unsigned word = (threads_set.cores + 31) / 32; word-- > 0;) {
        unsigned bits = 0;
        for (unsigned i = 0; i < 32; ++i) bits |= (unsigned)(CPU_ISSET(32 * word + i, set) != 0) << i;
        machine__print(f, 32 * (word + 1) >= threads_set.cores ? "%x" : "%08x", bits);
        machine__print(f, word > 0 ? "," : "\n");
    }
}

static void machine__all(cpu_set_t *set)
{
    CPU_ZERO(set);
    for (unsigned i = 0; i < threads_set.cores; ++i) CPU_SET(i, set);
}

/* Each processor is as the first one of this machine is, a core of its own. */
static void machine__cpuinfo(machine_file *f)
{
    char text[8192];
    machine__read("/proc/cpuinfo", text, sizeof text);
    char *end = strstr(text, "\n\n");
    if (end) end[1] = 0;
    for (unsigned i = 0; i < threads_set.cores; ++i) {
        for (const char *at = text; *at; at += machine__line(at)) {
            const char *colon = memchr(at, ':', machine__line(at));
            const bool number = machine__begins(at, "processor") || machine__begins(at, "core id") ||
                                machine__begins(at, "apicid") || machine__begins(at, "initial apicid");
            const bool count = machine__begins(at, "siblings") || machine__begins(at, "cpu cores");
            if (!colon || !(number || count)) {
                machine__add(f, at, machine__line(at));
                continue;
            }
            machine__add(f, at, (size_t)(colon - at));
            machine__print(f, ": %u\n", number ? i : threads_set.cores);
        }
        machine__print(f, "\n");
    }
}

/* Times of the processors of this machine, again and again. */
static void machine__stat(machine_file *f)
{
    char text[16384];
    unsigned real = 0, lines = 0;
    machine__read("/proc/stat", text, sizeof text);
    const char *first = text + (machine__begins(text, "cpu ") ? machine__line(text) : 0), *at = first;
    machine__add(f, text, (size_t)(first - text));
    for (; machine__begins(at, "cpu"); at += machine__line(at)) ++real;
    const char *rest = at;
    for (at = first; real > 0 && lines < threads_set.cores; ++lines) {
        const size_t digits = strcspn(at, " ");
        machine__print(f, "cpu%u", lines);
        machine__add(f, at + digits, machine__line(at) - digits);
        at = (lines + 1) % real == 0 ? first : at + machine__line(at);
    }
    for (; *rest; rest += machine__line(rest)) machine__add(f, rest, machine__line(rest));
}

static void machine__status(machine_file *f)
{
    static const char mask[] = "Cpus_allowed:", list[] = "Cpus_allowed_list:";
    char text[8192];
    cpu_set_t set;
    if (machine__affinity_get(threads_self(), sizeof set, &set) != 0) machine__all(&set);
    machine__read("/proc/thread-self/status", text, sizeof text);
    for (const char *at = text; *at; at += machine__line(at)) {
        if (machine__begins(at, mask)) {
            machine__print(f, "%s\t", mask);
            machine__mask(f, &set);
        } else if (machine__begins(at, list)) {
            machine__print(f, "%s\t", list);
            machine__list(f, &set);
        } else {
            machine__add(f, at, machine__line(at));
        }
    }
}

/* What is known of one core: it is the only one with its caches, and all are in one package. */
static bool machine__core(machine_file *f, unsigned core, const char *what)
{
    static const struct {
        const char *name;
        enum { NUMBER, ZERO, ONLINE, OWN_LIST, OWN_MASK, ALL_LIST, ALL_MASK } is;
    } known[] = {
        { "online", ONLINE },
        { "topology/core_id", NUMBER },
        { "topology/physical_package_id", ZERO },
        { "topology/die_id", ZERO },
        { "topology/thread_siblings_list", OWN_LIST },
        { "topology/thread_siblings", OWN_MASK },
        { "topology/core_cpus_list", OWN_LIST },
        { "topology/core_cpus", OWN_MASK },
        { "topology/core_siblings_list", ALL_LIST },
        { "topology/core_siblings", ALL_MASK },
        { "topology/package_cpus_list", ALL_LIST },
        { "topology/package_cpus", ALL_MASK },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        cpu_set_t set;
        if (strcmp(what, known[i].name) != 0) continue;
        machine__all(&set);
        if (known[i].is == OWN_LIST || known[i].is == OWN_MASK) {
            CPU_ZERO(&set);
            CPU_SET(core, &set);
        }
        if (known[i].is <= ONLINE)
            machine__print(f, "%u\n", known[i].is == NUMBER ? core : known[i].is == ONLINE);
        else if (known[i].is == OWN_LIST || known[i].is == ALL_LIST)
            machine__list(f, &set);
        else
            machine__mask(f, &set);
        return true;
    }
    return false;
}

typedef enum machine_kind { REAL, ABSENT, CPUINFO, STAT, STATUS, LIST, MASK, CORE, UNLIMITED, NO_QUOTA } machine_kind;

static bool machine__ends(const char *path, const char *word)
{
    const size_t length = strlen(path), other = strlen(word);
    return length >= other && strcmp(path + length - other, word) == 0;
}

/* The file that a program opens; of one about a core also that and the rest of the path. */
static machine_kind machine__kind(const char *path, unsigned *core, const char **what)
{
    static const char processors[] = "/sys/devices/system/cpu/", node[] = "/sys/devices/system/node/node0/",
                      groups[] = "/sys/fs/cgroup/";
    char own[64];
    if (path[0] != '/' || (path[1] != 'p' && path[1] != 's')) return REAL;
    if (strcmp(path, "/proc/cpuinfo") == 0) return CPUINFO;
    if (strcmp(path, "/proc/stat") == 0) return STAT;
    snprintf(own, sizeof own, "/proc/%ld/status", (long)getpid());
    if (strcmp(path, "/proc/self/status") == 0 || strcmp(path, "/proc/thread-self/status") == 0 ||
        strcmp(path, own) == 0)
        return STATUS;
    if (machine__begins(path, node))
        return strcmp(path + strlen(node), "cpulist") == 0  ? LIST
               : strcmp(path + strlen(node), "cpumap") == 0 ? MASK
                                                            : REAL;
    if (machine__begins(path, groups))
        return machine__ends(path, "/cpu.max")            ? UNLIMITED
               : machine__ends(path, "/cpu.cfs_quota_us") ? NO_QUOTA
               : machine__ends(path, "/cpuset.cpus") || machine__ends(path, "/cpuset.cpus.effective") ||
                       machine__ends(path, "/cpuset.effective_cpus")
                   ? LIST
                   : REAL;
    if (!machine__begins(path, processors)) return REAL;
    const char *rest = path + strlen(processors);
    if (strcmp(rest, "online") == 0 || strcmp(rest, "possible") == 0 || strcmp(rest, "present") == 0) return LIST;
    int length = 0;
    if (sscanf(rest, "cpu%u/%n", core, &length) != 1 || length == 0) return REAL;
    *what = rest + length;
    return *core < threads_set.cores ? CORE : ABSENT;
}

enum { NOT_OURS = -2 };

static int machine__open(const char *path, int flags)
{
    unsigned core = 0;
    const char *what = "";
    if (threads_hushed || !threads_real.syscall || !path || (flags & O_ACCMODE) != O_RDONLY) return NOT_OURS;
    const machine_kind kind = machine__kind(path, &core, &what);
    if (kind == REAL) return NOT_OURS;
    if (kind == ABSENT) return errno = ENOENT, -1;
    if (kind >= UNLIMITED || machine__begins(path, "/sys/fs/")) /* there may be none */
        if (threads_real.syscall(SYS_faccessat, (long)AT_FDCWD, path, (long)R_OK) != 0) return NOT_OURS;
    machine_file f = { .used = 0 };
    f.file = (int)threads_real.syscall(SYS_memfd_create, "simulated", (long)(flags & O_CLOEXEC ? MFD_CLOEXEC : 0));
    if (f.file < 0) return NOT_OURS;
    cpu_set_t all;
    machine__all(&all);
    if (kind == CPUINFO) machine__cpuinfo(&f);
    if (kind == STAT) machine__stat(&f);
    if (kind == STATUS) machine__status(&f);
    if (kind == LIST) machine__list(&f, &all);
    if (kind == MASK) machine__mask(&f, &all);
    if (kind == UNLIMITED) machine__print(&f, "max 100000\n");
    if (kind == NO_QUOTA) machine__print(&f, "-1\n");
    if (kind == CORE && !machine__core(&f, core, what)) {
        threads_real.syscall(SYS_close, (long)f.file);
        return core == 0 ? NOT_OURS : (errno = ENOENT, -1);
    }
    machine__flush(&f);
    threads_real.syscall(SYS_lseek, (long)f.file, 0L, (long)SEEK_SET);
    return f.file;
}

bool threads_machine_open(const char *path, int flags, int *file)
{
    *file = machine__open(path, flags);
    return *file != NOT_OURS;
}

/*=============================================================================
 * MARK: - >>libraries
 *===========================================================================*/

void threads_machine_tell(void)
{
    char topology[64];
    /* The OpenMP of clang would look for the simulated processors among the real ones, by an instruction, and abort. */
    setenv("KMP_TOPOLOGY_METHOD", "flat", 0);
    /* hwloc reads folders of /sys */
    if (getenv("HWLOC_XMLFILE") || getenv("HWLOC_FSROOT") || getenv("HWLOC_COMPONENTS")) return;
    const char *before = getenv("HWLOC_SYNTHETIC");
    if (before && !machine__begins(before, "pack:1 core:")) return;
    snprintf(topology, sizeof topology, "pack:1 core:%u pu:1", threads_set.cores);
    setenv("HWLOC_SYNTHETIC", topology, 1);
    setenv("HWLOC_THISSYSTEM", "1", 0); /* threads may be bound */
}
