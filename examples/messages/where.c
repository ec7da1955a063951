/* where.c - the source lines of calls, for error messages. A task writes down its stack when a message will name it, so
 * calls that succeed cost nothing. The launcher has the lines found by addr2line, when it prints the message. */
#define _GNU_SOURCE
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 32, MODULES = 4 };

struct messages_stack {
    int count;
    char modules[MODULES][256]; /* the program, and shared libraries */
    struct {
        int module;
        size_t place; /* in it */
    } frames[FRAMES];
};

/* The number of a module of this name; a new one is added. -1: there is no room for another. */
static int where__module_number(messages_stack *s, const char *name)
{
    for (int i = 0; i < MODULES; ++i) {
        if (!s->modules[i][0]) snprintf(s->modules[i], sizeof s->modules[i], "%s", name);
        if (strcmp(s->modules[i], name) == 0) return i;
    }
    return -1;
}

/* Adds a return address. */
static void where__frame_add(messages_stack *s, const void *address)
{
    char module[sizeof s->modules[0]];
    size_t place;
    if (!direct_place((const char *)address - 1, module, sizeof module, &place))
        return; /* within the call, not after it */
    const int number = where__module_number(s, module);
    if (number < 0) return;
    s->frames[s->count].module = number;
    s->frames[s->count++].place = place;
}

void messages_stack_keep(messages_task *self)
{
    void *frames[FRAMES];
    const int count = direct_stack(frames, FRAMES);
    messages_stack *s = self->stack;
    if (!s) s = self->stack = direct_new(sizeof *s);
    memset(s, 0, sizeof *s);
    for (int i = 1; i < count; ++i) where__frame_add(s, frames[i]);
}

messages_stack *messages_stack_copy(const void *caller)
{
    messages_stack *copy = direct_new(sizeof *copy);
    if (caller) {
        where__frame_add(copy, caller);
        return copy;
    }
    messages_stack_keep(messages_self);
    *copy = *messages_self->stack;
    return copy;
}

/*=============================================================================
 * MARK: - >>sites
 *===========================================================================*/
typedef struct sites {
    messages_site **list; /* list[room], count of them */
    uint32_t count, room;
} sites;

/* Bounds of the code of this layer, in the program. */
extern const char __start_messages_text[] __attribute__((weak, visibility("hidden")));
extern const char __stop_messages_text[] __attribute__((weak, visibility("hidden")));

void messages_sites_open(void)
{
    messages->sites = direct_new(sizeof(sites));
}

uint32_t messages_site_count(void)
{
    return ((const sites *)messages->sites)->count;
}

messages_site *messages_site_at(uint32_t number)
{
    return ((sites *)messages->sites)->list[number - 1];
}

static uint32_t where__site_add(sites *all, const char *call, const messages_stack *stack)
{
    if (all->count == all->room) {
        const uint32_t room = all->room ? 2 * all->room : 64;
        all->list = direct_reallocate(NULL, all->list, all->room * sizeof(void *), room * sizeof(void *));
        all->room = room;
    }
    messages_site *site = direct_new(sizeof *site);
    snprintf(site->call, sizeof site->call, "%s", call);
    site->stack = direct_new(sizeof *site->stack);
    *site->stack = *stack;
    all->list[all->count] = site;
    return ++all->count;
}

static bool where__stacks_equal(const messages_stack *a, const messages_stack *b)
{
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; ++i)
        if (a->frames[i].place != b->frames[i].place ||
            strcmp(a->modules[a->frames[i].module], b->modules[b->frames[i].module]) != 0)
            return false;
    return true;
}

/* The number of a call from an address of the program. */
static uint32_t where__site_of(sites *all, const char *call, const void *caller)
{
    messages_stack stack;
    memset(&stack, 0, sizeof stack);
    if (caller) where__frame_add(&stack, caller);
    for (uint32_t i = 0; i < all->count; ++i)
        if (strncmp(all->list[i]->call, call, sizeof all->list[i]->call - 1) == 0 &&
            where__stacks_equal(all->list[i]->stack, &stack))
            return i + 1;
    return where__site_add(all, call, &stack);
}

/* Where a module is in memory differs between processes, so each finds its sites by address in a table of its own first. */
uint32_t messages_site_enter(const char *call)
{
    enum { KNOWN = 256 };
    static struct {
        const void *caller;
        const char *call;
        uint32_t site;
    } known[KNOWN];
    void *frames[FRAMES];
    const int count = direct_stack(frames, FRAMES);
    int i = 1;
    while (i < count && (const char *)frames[i] >= __start_messages_text &&
           (const char *)frames[i] < __stop_messages_text)
        ++i;
    const void *caller = i < count ? frames[i] : NULL;
    const size_t place = ((uintptr_t)caller >> 2 ^ (uintptr_t)call >> 4) % KNOWN;
    if (!known[place].site || known[place].caller != caller || known[place].call != call) {
        known[place].caller = caller;
        known[place].call = call;
        known[place].site = where__site_of(messages->sites, call, caller);
    }
    ++messages_site_at(known[place].site)->calls;
    return known[place].site;
}

void messages_site_note(messages_task *t, uint32_t count)
{
    if (count > t->site_room) {
        const uint32_t room = count + count / 4 + 8;
        t->sites = direct_reallocate(NULL, t->sites, t->site_room * sizeof *t->sites, room * sizeof *t->sites);
        t->site_room = room;
    }
    t->sites[count - 1] = t->site;
}

void messages_site_sends(const messages_task *t, double bytes)
{
    const uint32_t site = messages_site_now(t);
    if (site) messages_site_at(site)->bytes += bytes;
}

uint32_t messages_site_now(const messages_task *t)
{
    const uint32_t last = t->script.count > 0 ? t->script.count - 1 : 0, at = t->at < last ? t->at : last;
    return at < t->site_room ? t->sites[at] : t->site;
}

/*=============================================================================
 * MARK: - >>lines
 *===========================================================================*/
/* Returns true if a file is one of this layer itself, or a header of the kit. */
static bool where__is_ours(const char *path)
{
    static const char *const headers[] = { "simkit.h:", "netmodel.h:", "contention.h:" };
    static const char own[] = __FILE__;
    const char *slash = strrchr(own, '/'), *end = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash + 1 - own) : 0, before = end ? (size_t)(end + 1 - path) : 0;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i)
        if (strncmp(path + before, headers[i], strlen(headers[i])) == 0) return true;
    return before >= length && memcmp(path + before - length, own, length) == 0 && length > 0;
}

/* Returns true if a module is of the system, such as the C library. */
static bool where__is_system(const char *module)
{
    return strncmp(module, "/lib", 4) == 0 || strncmp(module, "/usr/lib", 8) == 0;
}

/* The innermost frame of the program whose line is known: `file.c:12`; empty: none. */
static void where__find(const messages_stack *s, const char *finder, char *line, size_t room)
{
    char command[256 + 300 + FRAMES * 24], answer[1024];
    line[0] = 0;
    for (int first = 0, next; first < s->count && !line[0]; first = next) { /* frames in a row of one module */
        const char *module = s->modules[s->frames[first].module];
        size_t used = (size_t)snprintf(command, sizeof command, "'%s' -e '%s'", finder, module);
        for (next = first; next < s->count && s->frames[next].module == s->frames[first].module; ++next)
            used += (size_t)snprintf(command + used, sizeof command - used, " 0x%zx", s->frames[next].place);
        snprintf(command + used, sizeof command - used, " 2>/dev/null");
        FILE *f = strchr(module, '\'') || where__is_system(module) ? NULL : popen(command, "r");
        while (f && fgets(answer, sizeof answer, f)) {
            const size_t length = strcspn(answer, " \n"); /* the rest is a discriminator */
            answer[length] = 0;
            const char *colon = strrchr(answer, ':');
            if (line[0] || answer[0] == '?' || !colon || colon[1] < '1' || colon[1] > '9' || where__is_ours(answer))
                continue;
            const char *slash = strrchr(answer, '/');
            snprintf(line, room, "%.120s", slash ? slash + 1 : answer);
        }
        if (f) pclose(f);
    }
}

void messages_site_line(uint32_t number, char *line, size_t room)
{
    const char *asked = getenv("SIMKIT_LINES"), *finder = asked ? asked : "addr2line";
    line[0] = 0;
    if (*finder && !strchr(finder, '\'')) where__find(messages_site_at(number)->stack, finder, line, room);
}

const char *messages_where_kept(const messages_task *t)
{
    static char mark[32];
    snprintf(mark, sizeof mark, "\001%d.%u\002", (int)t->number, (unsigned)t->thread);
    return mark;
}

const char *messages_where(messages_task *t)
{
    return messages_stack_ask(t) ? messages_where_kept(t) : "";
}

void messages_where_print(const char *text, const messages_stack *here)
{
    const char *asked = getenv("SIMKIT_LINES"), *finder = asked ? asked : "addr2line";
    for (; *text; ++text) {
        char line[128] = "";
        if (*text != '\001' && *text != MESSAGES_HERE[0]) {
            fputc(*text, stderr);
            continue;
        }
        const messages_stack *s = here;
        if (*text == '\001') {
            char *end;
            const unsigned long number = strtoul(text + 1, &end, 10);
            const unsigned long thread = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
            if (*end != '\002' || number >= messages->task_count) continue; /* of a name in the program */
            s = messages_thread_at((int32_t)number, (uint32_t)thread)->stack;
            text = end;
        }
        if (s && *finder && !strchr(finder, '\'')) where__find(s, finder, line, sizeof line);
        if (line[0]) fprintf(stderr, " (%s)", line);
    }
}
