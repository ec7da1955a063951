/* together.c - ranks that share one process (SIMKIT_RANKS=together), so that tens of thousands fit into memory. Each has
 * its own stack, and its own static data of the program: what it changed there is stored while other ranks run. The
 * stacks are those of simkit.h's processes, in a world of their own, whose clock stands still. */
#define _GNU_SOURCE
#include "core.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 64, LINES = 8, STACK = 256 << 10 };

/* The static data of the program, and that of its only thread. */
typedef struct area {
    char *data, *initial; /* as they are now; as they were before the first rank began */
    size_t bytes;
} area;

/* A line of static data that a rank has changed. */
typedef struct changed {
    char *place;
    char bytes[LINE];
} changed;

typedef struct rank {
    simkit_process stack; /* 0: not started */
    changed *lines;       /* lines[count] */
    uint32_t count, room;
} rank;

/* What is here does not change any more when the first rank runs, so it is the same for all of them. */
static area areas[2];
static rank *ranks; /* by number of the task */
static simkit_world *stacks;
static void (*begins)(messages_task *);
static bool interpreted; /* by the dynamic linker, so the C library has static data of its own */

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
        if (p->p_type == PT_GNU_RELRO) constant = place + p->p_memsz;
        if (p->p_type == PT_TLS && object->dlpi_tls_data) {
            areas[1].data = object->dlpi_tls_data;
            areas[1].bytes = p->p_memsz;
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
    return NULL;
}

static void together__check(simkit_result result)
{
    if (result != SIMKIT_OK) messages_end(1, "ranks together: %s", simkit_world_why(stacks));
}

static void together__line_keep(rank *r, char *place, const char *initial, size_t bytes)
{
    if (memcmp(place, initial, bytes) == 0) return;
    if (r->count == r->room) {
        r->room = r->room > 0 ? 2 * r->room : 8;
        r->lines = realloc(r->lines, r->room * sizeof *r->lines);
        if (!r->lines) {
            static const char text[] = "simkit: no memory for the static data of a rank\n";
            if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(1);
            _exit(1);
        }
    }
    changed *c = &r->lines[r->count++];
    c->place = place;
    memcpy(c->bytes, place, bytes);
    memcpy(place, initial, bytes);
}

/* Keeps what the rank has changed, and makes the data as it was initially. */
static void together__keep(rank *r)
{
    r->count = 0;
    for (int k = 0; k < 2; ++k) {
        const area *a = &areas[k];
        for (size_t at = 0; at < a->bytes; at += LINE * LINES) {
            const size_t end = a->bytes - at < LINE * LINES ? a->bytes : at + LINE * LINES;
            if (memcmp(a->data + at, a->initial + at, end - at) == 0) continue;
            for (size_t line = at; line < end; line += LINE)
                together__line_keep(r, a->data + line, a->initial + line, end - line < LINE ? end - line : LINE);
        }
    }
}

static void together__restore(const rank *r)
{
    for (uint32_t i = 0; i < r->count; ++i) {
        const changed *c = &r->lines[i];
        size_t bytes = LINE;
        for (int k = 0; k < 2; ++k)
            if (c->place >= areas[k].data && c->place < areas[k].data + areas[k].bytes &&
                (size_t)(areas[k].data + areas[k].bytes - c->place) < LINE)
                bytes = (size_t)(areas[k].data + areas[k].bytes - c->place);
        memcpy(c->place, c->bytes, bytes);
    }
}

static void together__begin(simkit_world *world, void *user)
{
    (void)world;
    begins(user);
}

static void together__enter(messages_task *t)
{
    rank *r = &ranks[t->number];
    if (r->stack) {
        together__check(simkit_process_resume(stacks, r->stack));
        return;
    }
    simkit_process_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.name = t->name;
    desc.body = together__begin;
    desc.user = t;
    desc.stack_bytes = STACK;
    together__check(simkit_process_start(stacks, &desc, &r->stack));
}

void messages_together_switch(messages_task *next)
{
    rank *r = &ranks[messages_self->number];
    together__keep(r);
    together__enter(next);
    together__check(simkit_process_suspend(stacks, NULL));
    together__restore(r);
}

void messages_together_as(messages_task *t, void (*call)(void))
{
    rank *own = &ranks[messages_self->number], *other = &ranks[t->number];
    together__keep(own);
    together__restore(other);
    call();
    together__keep(other);
    together__restore(own);
}

void messages_together_run(messages_task *first, void (*begin)(messages_task *))
{
    simkit_world_desc desc;
    memset(&desc, 0, sizeof desc);
    begins = begin;
    ranks = calloc(MESSAGES_MOST_TASKS, sizeof *ranks);
    for (int k = 0; k < 2; ++k) areas[k].initial = malloc(areas[k].bytes + 1);
    if (!ranks || !areas[0].initial || !areas[1].initial || simkit_world_open(&desc, &stacks) != SIMKIT_OK)
        messages_end(1, "no memory for ranks together");
    for (int k = 0; k < 2; ++k)
        if (areas[k].bytes > 0) memcpy(areas[k].initial, areas[k].data, areas[k].bytes);
    together__enter(first);
    together__check(simkit_world_run(stacks));
    messages_end(1, "ranks together: none can go on");
}

/* After the program's own constructors, because it is linked after them. A copy of the library in a shared library has
 * not looked for static data. */
__attribute__((constructor)) static void together__begin_all(int argc, char **argv, char **environment)
{
    if (areas[0].data) messages_launch_together(argc, argv, environment);
}
