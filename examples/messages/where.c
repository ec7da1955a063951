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
