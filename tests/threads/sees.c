/* A program that prints what it sees of its machine: one word and a value in each line. With SEES_RANK it is a rank of MPI. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef SEES_RANK
#include "mpi.h"
#endif

static void say(const char *word, long value)
{
    printf("%s %ld\n", word, value);
}

static void asks(void)
{
    cpu_set_t set;
    pthread_attr_t attributes;
    unsigned core = 99, node = 99;
    say("sysconf_onln", sysconf(_SC_NPROCESSORS_ONLN));
    say("sysconf_conf", sysconf(_SC_NPROCESSORS_CONF));
    say("get_nprocs", get_nprocs());
    say("get_nprocs_conf", get_nprocs_conf());
    say("sched_getaffinity", sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1);
    say("syscall_getaffinity", syscall(SYS_sched_getaffinity, 0, sizeof set, &set));
    say("syscall_getaffinity_small", syscall(SYS_sched_getaffinity, 0, 1, &set) < 0 ? -errno : 0);
    say("getaffinity_of_another", sched_getaffinity(getppid(), sizeof set, &set) == 0);
    say("pthread_getaffinity", pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1);
    pthread_getattr_np(pthread_self(), &attributes);
    CPU_ZERO(&set);
    say("getattr_affinity", pthread_attr_getaffinity_np(&attributes, sizeof set, &set));
    say("getattr_affinity_count", CPU_COUNT(&set));
    pthread_attr_destroy(&attributes);
    say("sched_getcpu", sched_getcpu());
    say("syscall_getcpu", syscall(SYS_getcpu, &core, &node, NULL));
    say("getcpu_core", (long)core);
    say("getcpu_node", (long)node);
    say("getcpu", getcpu(&core, &node));
}

static void *child(void *last)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    say("thread_affinity_count", pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1);
    say("thread_affinity_last", CPU_ISSET(*(int *)last, &set) ? *(int *)last : -1);
    say("thread_getcpu", sched_getcpu());
    return NULL;
}

/* A thread that is bound to the last core by its attributes, and inherits from one that is bound. */
static void binds(void)
{
    int last = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
    cpu_set_t set;
    pthread_attr_t attributes;
    pthread_t thread;
    CPU_ZERO(&set);
    CPU_SET((size_t)last, &set);
    pthread_attr_init(&attributes);
    say("attr_setaffinity", pthread_attr_setaffinity_np(&attributes, sizeof set, &set));
    const int made = pthread_create(&thread, &attributes, child, &last);
    say("create_bound", made);
    if (made == 0) pthread_join(thread, NULL);
    say("setaffinity", sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : -errno);
    say("setaffinity_getcpu", sched_getcpu());
    if (pthread_create(&thread, NULL, child, &last) == 0) pthread_join(thread, NULL);
    CPU_ZERO(&set);
    CPU_SET((size_t)last + 1, &set);
    say("setaffinity_beyond", sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : -errno);
}

/* Prints the lines of a file that begin with a word, or the first one, and how many there are. */
static void file(const char *path, const char *word)
{
    char line[4096], first[4096] = "";
    long count = 0;
    FILE *f = fopen(path, "r");
    if (!f) {
        printf("%s: %s\n", path, strerror(errno)); /* a control group of the other version */
        return;
    }
    while (fgets(line, sizeof line, f))
        if (strncmp(line, word, strlen(word)) == 0 && count++ == 0) strcpy(first, line);
    fclose(f);
    first[strcspn(first, "\n")] = 0;
    if (strcmp(word, "cpu") == 0) first[0] = 0;
    printf("%s: %ld, %.60s\n", path, count, first);
}

static void opened(const char *word, int file)
{
    char text[64] = "";
    const ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    text[length > 0 ? strcspn(text, "\n") : 0] = 0;
    printf("%s %s\n", word, file < 0 ? strerror(errno) : text);
    if (file >= 0) close(file);
}

static void reads(void)
{
    int folder;
    static const char online[] = "/sys/devices/system/cpu/online";
    char path[80];
    file("/proc/cpuinfo", "processor");
    file("/proc/cpuinfo", "cpu cores");
    file("/proc/self/status", "Cpus_allowed:");
    file("/proc/self/status", "Cpus_allowed_list:");
    file("/proc/stat", "cpu");
    file(online, "");
    file("/sys/devices/system/cpu/possible", "");
    file("/sys/devices/system/cpu/present", "");
    file("/sys/devices/system/node/node0/cpulist", "");
    file("/sys/fs/cgroup/cpu.max", "");
    file("/sys/fs/cgroup/cpuset.cpus.effective", "");
    file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "");
    opened("open", open(online, O_RDONLY));
    opened("openat", openat(AT_FDCWD, online, O_RDONLY | O_CLOEXEC));
    folder = open("/sys/devices/system/cpu", O_RDONLY | O_DIRECTORY); /* from here on it is the real one */
    opened("openat_relative", openat(folder, "online", O_RDONLY));
    opened("syscall_openat", (int)syscall(SYS_openat, AT_FDCWD, online, O_RDONLY));
    opened("open_write", open(online, O_RDWR));
    snprintf(path, sizeof path, "/proc/%ld/status", (long)getpid());
    printf("by number ");
    file(path, "Cpus_allowed_list:");
    file("/proc/thread-self/status", "Cpus_allowed_list:");
}

static void names(void)
{
    struct utsname about;
    char name[65];
    printf("gethostname %s\n", gethostname(name, sizeof name) == 0 ? name : "?");
    printf("uname %s\n", uname(&about) == 0 ? about.nodename : "?");
    printf("short %d\n", gethostname(name, 1) == 0 ? 0 : errno == ENAMETOOLONG);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
#ifdef SEES_RANK
    MPI_Init(&argc, &argv);
#endif
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "asks") == 0) asks();
        if (strcmp(argv[i], "binds") == 0) binds();
        if (strcmp(argv[i], "reads") == 0) reads();
        if (strcmp(argv[i], "names") == 0) names();
    }
#ifdef SEES_RANK
    MPI_Finalize();
#endif
    return 0;
}
