/* together.c - ranks that share one process (SIMKIT_RANKS=together), so that tens of thousands fit into memory. Each has
 * its own stack, and its own static data of the program: what it changed there is stored while other ranks run. The
 * stacks are those of simkit.h's processes, in a world of their own, whose clock stands still. */
#define _GNU_SOURCE
#include "core.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LINE = 64, LINES = 8, STACK = 256 << 10 };

/* Parts of the static data of the program: those between holes, one that is steady, and that of its only thread. */
enum { BETWEEN = 4, STEADY = BETWEEN, OF_THREAD, PARTS };
typedef struct area {
    char *data, *initial; /* as they are now; as they were before the first rank began */
    size_t bytes;         /* to be compared */
} area;

/* Lines of static data that a rank has changed, one after another; their content follows. */
typedef struct changed {
    char *place;
    size_t bytes;
} changed;

/* Hidden, because a shared library may have sections of these names as well. */
#define SECTION_BOUND __attribute__((weak, visibility("hidden")))
extern char __start_direct_common[] SECTION_BOUND, __stop_direct_common[] SECTION_BOUND;
extern char __start_messages_steady[] SECTION_BOUND, __stop_messages_steady[] SECTION_BOUND;

static area areas[PARTS] MESSAGES_COMMON;
static const ElfW(Dyn) * dynamic MESSAGES_COMMON; /* what the dynamic linker knows of the program */
static simkit_process *processes MESSAGES_COMMON; /* by number of the task; 0: not started */
static simkit_world *stacks MESSAGES_COMMON;
static void (*begins)(messages_task *) MESSAGES_COMMON;
static bool interpreted MESSAGES_COMMON; /* by the dynamic linker, so the C library has static data of its own */

/* Takes a hole out of one of the first areas. */
static void together__area_cut(char *from, char *to)
{
    for (int k = 0; k < BETWEEN - 1; ++k) {
        area *a = &areas[k];
        char *end = a->data + a->bytes;
        if (from >= to || from < a->data || to > end) continue;
        memmove(a + 2, a + 1, (size_t)(BETWEEN - k - 2) * sizeof *a);
        a[1].data = to;
        a[1].bytes = (size_t)(end - to);
        a->bytes = (size_t)(from - a->data);
        return;
    }
}

/* Addresses of functions of shared libraries, which the dynamic linker fills in at their first calls. They are the same for
 * all ranks. */
static void together__functions_cut(void)
{
    const ElfW(Dyn) *d = dynamic;
    char *table = NULL;
    size_t bytes = 0, entry = sizeof(ElfW(Rela));
    for (; d->d_tag != DT_NULL; ++d) {
        if (d->d_tag == DT_PLTGOT) table = (char *)d->d_un.d_ptr; /* NOLINT(performance-no-int-to-ptr) */
        if (d->d_tag == DT_PLTRELSZ) bytes = d->d_un.d_val;
        if (d->d_tag == DT_PLTREL && d->d_un.d_val == DT_REL) entry = sizeof(ElfW(Rel));
    }
    if (!table) return;
    char *end = table + (3 + bytes / entry) * sizeof(void *);
    if (table < areas[0].data) table = areas[0].data;
    together__area_cut(table, end);
}

/* Finds the static data of the program, which is the first object. */
static int together__program_find(struct dl_phdr_info *object, size_t bytes, void *user)
{
    char *from = NULL, *to = NULL, *constant = NULL;
    (void)bytes;
    (void)user;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        char *place = (char *)(object->dlpi_addr + p->p_vaddr); /* NOLINT(performance-no-int-to-ptr) */
        if (p->p_type == PT_INTERP) interpreted = true;
        if (p->p_type == PT_LOAD && (p->p_flags & PF_W)) {
            if (!from) from = place;
            to = place + p->p_memsz;
        }
        if (p->p_type == PT_DYNAMIC) dynamic = (const ElfW(Dyn) *)(void *)place;
        if (p->p_type == PT_GNU_RELRO) constant = place + p->p_memsz;
        if (p->p_type == PT_TLS && object->dlpi_tls_data) {
            areas[OF_THREAD].data = object->dlpi_tls_data;
            areas[OF_THREAD].bytes = p->p_memsz;
        }
    }
    if (constant > from && constant < to) from = constant;
    areas[0].data = from;
    areas[0].bytes = (size_t)(to - from);
    return 1;
}
/* Of a program with a sanitizer; it keeps static data of its own in the program. */
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));
extern void __msan_init(void) __attribute__((weak));

const char *messages_together_impossible(void)
{
    if (&__asan_init || &__tsan_init || &__msan_init) return "not under a sanitizer";
    dl_iterate_phdr(together__program_find, NULL);
    const char *own = (const char *)&areas;
    if (!interpreted) return "the program is linked statically";
    if (own < areas[0].data || own >= areas[0].data + areas[0].bytes) return "the program is not linked with simcc";
    if (dynamic) together__functions_cut();
    together__area_cut(__start_direct_common, __stop_direct_common);
    together__area_cut(__start_messages_steady, __stop_messages_steady);
    return NULL;
}

void messages_together_changes(void)
{
    if (processes)
        areas[STEADY].bytes = (size_t)((uintptr_t)__stop_messages_steady - (uintptr_t)__start_messages_steady);
}

static void together__check(simkit_result result)
{
    if (result != SIMKIT_OK) messages_end(1, "ranks together: %s", simkit_world_why(stacks));
}

static uint32_t together__whole_words(size_t bytes)
{
    return (uint32_t)((bytes + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *));
}

/* Keeps a line, and makes it as it was initially. */
static changed *together__line_keep(messages_task *t, changed *last, char *place, const char *initial, size_t bytes)
{
    const size_t most = t->kept.used + sizeof *last + bytes + sizeof(void *);
    if (most > t->kept.room) {
        const uint32_t room = t->kept.room > 0 ? 2 * t->kept.room : 4 * LINE;
        const size_t at = last ? (size_t)((char *)last - t->kept.data) : 0;
        t->kept.data = direct_reallocate(NULL, t->kept.data, t->kept.room, room);
        t->kept.room = room;
        if (last) last = (changed *)(void *)(t->kept.data + at);
    }
    if (!last || last->place + last->bytes != place) {
        last = (changed *)(void *)(t->kept.data + t->kept.used);
        last->place = place;
        last->bytes = 0;
        t->kept.used += (uint32_t)sizeof *last;
    }
    memcpy(t->kept.data + t->kept.used, place, bytes);
    memcpy(place, initial, bytes);
    last->bytes += bytes;
    t->kept.used += together__whole_words(bytes);
    return last;
}

/* Keeps what a rank has changed, and makes the data as it was initially. */
static void together__keep(messages_task *t)
{
    changed *last = NULL;
    t->kept.used = 0;
    for (int k = 0; k < PARTS; ++k) {
        const area *a = &areas[k];
        for (size_t at = 0; at < a->bytes; at += LINE * LINES) {
            const size_t end = a->bytes - at < LINE * LINES ? a->bytes : at + LINE * LINES;
            if (memcmp(a->data + at, a->initial + at, end - at) == 0) continue;
            for (size_t line = at; line < end; line += LINE) {
                const size_t bytes = end - line < LINE ? end - line : LINE;
                if (memcmp(a->data + line, a->initial + line, bytes) != 0)
                    last = together__line_keep(t, last, a->data + line, a->initial + line, bytes);
            }
        }
        last = NULL;
    }
}

static void together__restore(const messages_task *t)
{
    for (uint32_t at = 0; at < t->kept.used;) {
        const changed *c = (const changed *)(const void *)(t->kept.data + at);
        at += (uint32_t)sizeof *c;
        memcpy(c->place, t->kept.data + at, c->bytes);
        at += together__whole_words(c->bytes);
    }
}

/* Loads into the cache what the next rank will need. */
static void together__ahead(const messages_task *t)
{
    enum { FRAMES = 12 * LINE }; /* of the calls that go on */
    for (uint32_t at = 0; at < t->kept.used; at += LINE) __builtin_prefetch(t->kept.data + at);
    for (int at = -2 * LINE; t->kept.stack_end && at < FRAMES; at += LINE) __builtin_prefetch(t->kept.stack_end + at);
}

static void together__begin(simkit_world *world, void *user)
{
    (void)world;
    begins(user);
}

static void together__no_stack(void)
{
    char limited[96] = "";
    uint32_t ranks = 0;
    struct rlimit space;
    for (uint32_t i = 0; i < messages->task_count; ++i) ranks += messages->tasks[i]->system.together;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        snprintf(limited, sizeof limited, "; 'ulimit -v' is %llu, and messages may take half of it",
                 (unsigned long long)space.rlim_cur / 1024);
    messages_end(1, "ranks together: no memory for the stacks of %u ranks, %d kB each%s", (unsigned)ranks, STACK >> 10,
                 limited);
}

static void together__enter(messages_task *t)
{
    simkit_process *process = &processes[t->number];
    if (*process) {
        together__check(simkit_process_resume(stacks, *process));
        return;
    }
    simkit_process_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.name = t->name;
    desc.body = together__begin;
    desc.user = t;
    desc.stack_bytes = STACK;
    const simkit_result result = simkit_process_start(stacks, &desc, process);
    if (result == SIMKIT_NO_MEMORY) together__no_stack();
    together__check(result);
}

void messages_together_switch(messages_task *next)
{
    messages_task *self = messages_self;
    together__ahead(next);
    self->kept.stack_end = __builtin_frame_address(0);
    together__keep(self);
    together__enter(next);
    together__check(simkit_process_suspend(stacks, NULL));
    messages_self = self;
    together__restore(self);
}

void messages_together_as(messages_task *t, void (*call)(void))
{
    messages_task *self = messages_self;
    together__keep(self);
    together__restore(t);
    messages_self = t;
    call();
    messages_self = self;
    together__keep(t);
    together__restore(self);
}

void messages_together_run(messages_task *first, void (*begin)(messages_task *))
{
    simkit_world_desc desc;
    memset(&desc, 0, sizeof desc);
    begins = begin;
    processes = calloc(MESSAGES_MOST_TASKS, sizeof *processes);
    areas[STEADY].data = __start_messages_steady;
    messages_together_changes();
    bool enough = processes != NULL;
    for (int k = 0; k < PARTS; ++k) {
        area *a = &areas[k];
        a->initial = malloc(a->bytes + 1);
        if (a->initial && a->bytes > 0) memcpy(a->initial, a->data, a->bytes);
        enough = enough && a->initial;
    }
    areas[STEADY].bytes = 0;
    if (!enough || simkit_world_open(&desc, &stacks) != SIMKIT_OK) messages_end(1, "no memory for ranks together");
    together__enter(first);
    together__check(simkit_world_run(stacks));
    messages_end(1, "ranks together: none can go on");
}

/* Its static data has been looked for. */
bool messages_together_ready(void)
{
    return areas[0].data != NULL;
}
