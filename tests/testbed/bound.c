/* Threads of OpenMP on the cores of a node of the testbed: of those that a rank makes, thread K goes to core K of the rank, from 0, where it
 * begins again with the first. A core is a cpu cgroup and a processor: BOUND_CORES has both for each, blanks between them. The thread of
 * main(), and those of Open MPI, stay on the first one. Loaded with LD_PRELOAD by `testbed mpi`, in one library with polite.c. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_CORES = 64 };

typedef struct start {
    void *(*run)(void *user);
    void *user;
    unsigned number;
} start;

static void stop(const char *what)
{
    fprintf(stderr, "bound: %s; BOUND_CORES=%s\n", what, getenv("BOUND_CORES"));
    _exit(2);
}

/* Moves the calling thread to a core. */
static void enter(unsigned number)
{
    char *text = strdup(getenv("BOUND_CORES")), *kept = NULL, *groups[MOST_CORES];
    int processors[MOST_CORES];
    unsigned count = 0;
    if (!text) stop("no memory");
    for (char *word = strtok_r(text, " ", &kept); word && count < MOST_CORES;
         word = strtok_r(NULL, " ", &kept), ++count) {
        const char *processor = strtok_r(NULL, " ", &kept);
        groups[count] = word;
        processors[count] = processor ? atoi(processor) : -1;
    }
    if (count == 0) stop("it has no cores");
    FILE *f = fopen(groups[number % count], "we");
    if (!f || fprintf(f, "%ld", (long)syscall(SYS_gettid)) < 0 || fclose(f) != 0)
        stop("a thread cannot enter its cgroup");
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processors[number % count], &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) stop("a thread cannot be bound to its processor");
    free(text);
}

static void *begin(void *user)
{
    const start s = *(start *)user;
    free(user);
    enter(s.number);
    return s.run(s.user);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *user)
{
    static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    static atomic_uint made;
    Dl_info from;
    void *symbol = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&create, &symbol, sizeof create);
    const char *cores = getenv("BOUND_CORES");
    if (!cores || !*cores || !dladdr(*(void **)(void *)&run, &from) || !strstr(from.dli_fname, "libgomp"))
        return create(thread, attributes, run, user);
    start *s = malloc(sizeof *s);
    if (!s) stop("no memory");
    *s = (start){ run, user, 1 + atomic_fetch_add(&made, 1) };
    return create(thread, attributes, begin, s);
}
