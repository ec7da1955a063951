/* objects.c - the things that threads wait for, the places where they wait, and texts about both. */
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

enum { BUCKETS = 4096 };

threads_object *threads_objects;
static threads_object *buckets[BUCKETS], **last_object = &threads_objects;

/*=============================================================================
 * MARK: - >>objects
 *===========================================================================*/

static threads_object **objects__bucket(threads_kind kind, const void *address)
{
    uint64_t hash = ((uint64_t)(uintptr_t)address + (uint64_t)kind) * UINT64_C(0x9e3779b97f4a7c15);
    return &buckets[hash >> 52];
}

threads_object *threads_object_find(threads_kind kind, const void *address)
{
    threads_object *o = *objects__bucket(kind, address);
    while (o && (o->address != address || o->kind != kind)) o = o->next;
    return o;
}

threads_object *threads_object_of(threads_kind kind, const void *address)
{
    threads_object *o = threads_object_find(kind, address), **bucket = objects__bucket(kind, address);
    if (o) return o;
    o = direct_new(sizeof *o);
    o->kind = kind;
    o->address = address;
    o->next = *bucket;
    *bucket = o;
    *last_object = o;
    last_object = &o->after;
    return o;
}

THREADS_PUBLIC void simthreads_name(const void *address, const char *name)
{
    for (threads_kind kind = THREADS_MUTEX; kind <= THREADS_FUTEX; ++kind)
        snprintf(threads_object_of(kind, address)->name, THREADS_NAME, "%s", name);
}

/*=============================================================================
 * MARK: - >>call sites
 *===========================================================================*/

static uintptr_t own_from, own_to; /* the code of this library */

static int objects__library(struct dl_phdr_info *info, size_t bytes, void *user)
{
    const uintptr_t here = (uintptr_t)threads_objects_prepare;
    (void)bytes, (void)user;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, to = from + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || here < from || here >= to) continue;
        own_from = from;
        own_to = to;
    }
    return 0;
}

void threads_objects_prepare(void)
{
    dl_iterate_phdr(objects__library, NULL);
    direct_sites_prepare();
}

/* The place in the program at which the thread is: the return addresses outside of this library. */
static void objects__frames(const void **frames)
{
    void *all[DIRECT_FRAMES + 8];
    const int count = direct_stack(all, DIRECT_FRAMES + 8);
    int kept = 0;
    for (int i = 0; i < count && kept < DIRECT_FRAMES; ++i)
        if ((uintptr_t)all[i] < own_from || (uintptr_t)all[i] >= own_to) frames[kept++] = all[i];
    while (kept < DIRECT_FRAMES) frames[kept++] = NULL;
}

/* The name of the file in which a place is. */
static const char *objects__module(const void *address, char module[PATH_MAX])
{
    size_t offset;
    if (!direct_place(address, module, PATH_MAX, &offset)) return "";
    const char *name = strrchr(module, '/');
    return name ? name + 1 : module;
}

static bool objects__libomp(const char *name)
{
    return strncmp(name, "libomp", strlen("libomp")) == 0 || strncmp(name, "libiomp", strlen("libiomp")) == 0;
}

bool threads_libomp(const void *address)
{
    enum { PLACES = 16 };
    static struct {
        const void *address;
        bool is;
    } known[PLACES];
    char module[PATH_MAX];
    const uintptr_t place = ((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15)) >> 60;
    if (known[place].address != address) {
        known[place].is = objects__libomp(objects__module(address, module));
        known[place].address = address;
    }
    return known[place].is;
}

/* For how long a thread spins before it sleeps, if it is one of OpenMP, whose runtime calls there [s]. gcc's spins 300 000 times, clang's for
 * 200 ms; both sleep at once where there are more threads than cores. */
static double objects__spins(const void *const *frames)
{
    enum { FIRST = 3, TRIAL = 3000, TIMES = 300000 };
    static double gcc;
    for (int i = 0; threads_set.spin_delay > 0 && i < FIRST && frames[i]; ++i) {
        char module[PATH_MAX];
        const char *name = objects__module(frames[i], module);
        if (objects__libomp(name)) return 0.2;
        if (strncmp(name, "libgomp", strlen("libgomp")) != 0) continue;
        if (!(gcc > 0)) {
            const double begin = direct_clock(CLOCK_MONOTONIC);
            for (int k = 0; k < TRIAL; ++k) direct_pause();
            gcc = (direct_clock(CLOCK_MONOTONIC) - begin) * TIMES / TRIAL;
        }
        return gcc;
    }
    return 0;
}

void threads_object_sited(threads_thread *t, threads_object *object, const void *holder)
{
    const void *frames[DIRECT_FRAMES];
    objects__frames(frames);
    t->wait.site = direct_site_of(&object->sites, frames);
    if (t->wait.site->waits == 0) t->wait.site->spins = objects__spins(frames);
    if (holder) t->wait.site->holder = holder;
}

void threads_object_waited(threads_thread *t, double seconds)
{
    threads_object *o = t->wait.object;
    ++o->waits;
    o->waited += seconds;
    t->times.waited[o->kind] += seconds;
    if (!t->wait.site) return;
    direct_site_waited(t->wait.site, seconds);
    t->wait.site = NULL;
}

/*=============================================================================
 * MARK: - >>texts
 *===========================================================================*/

const char *threads_kind_name(threads_kind kind)
{
    static const char *const names[THREADS_KINDS] = { "mutex",     "condition", "barrier", "read lock", "write lock",
                                                      "spin lock", "semaphore", "once",    "futex",     "files",
                                                      "join",      "sleep",     "signal" };
    return names[kind];
}

/* MODULE+OFFSET, from which simthreads makes a name and a line. */
void threads_address(const void *address, char *text, size_t bytes)
{
    char module[PATH_MAX];
    size_t offset;
    if (address && direct_place(address, module, sizeof module, &offset))
        snprintf(text, bytes, "%s+0x%zx", module, offset);
    else
        snprintf(text, bytes, "%p", address);
}

void threads_describe(const void *address, char *text, size_t bytes)
{
    Dl_info info;
    if (address && dladdr(address, &info) && info.dli_sname) {
        const size_t offset = (size_t)((const char *)address - (const char *)info.dli_saddr);
        if (offset)
            snprintf(text, bytes, "%s+%zu", info.dli_sname, offset);
        else
            snprintf(text, bytes, "%s", info.dli_sname);
    } else {
        threads_address(address, text, bytes);
    }
}
