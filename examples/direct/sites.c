/* sites.c - places in the program: the calls that a task is in, the files in which they are, and how long tasks have waited there. */
#define _GNU_SOURCE
#include "direct.h"

#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <execinfo.h>
#else
#define backtrace(frames, most) 0
#endif

/*=============================================================================
 * MARK: - >>places
 *===========================================================================*/

static char
    program[PATH_MAX] DIRECT_COMMON; /* its path, which cannot be asked for once the thread of main() has ended */

/* A search for the module of an address. */
typedef struct search {
    uintptr_t address, base;
    const char *name; /* empty: the program; NULL: not found */
} search;

static int sites__module_look(struct dl_phdr_info *module, size_t bytes, void *user)
{
    search *s = user;
    (void)bytes;
    for (int i = 0; i < module->dlpi_phnum; ++i) {
        const uintptr_t begin = module->dlpi_addr + module->dlpi_phdr[i].p_vaddr;
        if (module->dlpi_phdr[i].p_type != PT_LOAD || s->address < begin ||
            s->address - begin >= module->dlpi_phdr[i].p_memsz)
            continue;
        s->base = module->dlpi_addr;
        s->name = module->dlpi_name;
        return 1;
    }
    return 0;
}

bool direct_place(const void *address, char *module, size_t room, size_t *offset)
{
    search found = { (uintptr_t)address, 0, NULL };
    dl_iterate_phdr(sites__module_look, &found);
    if (!found.name) return false;
    snprintf(module, room, "%s", *found.name ? found.name : program);
    *offset = found.address - found.base;
    return true;
}

/*=============================================================================
 * MARK: - >>stacks
 *===========================================================================*/

void direct_sites_prepare(void)
{
    void *one;
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    if (backtrace(&one, 1) < 0) return; /* the first call loads a library */
}

int direct_stack(void **frames, int most)
{
    return backtrace(frames, most);
}

direct_site *direct_site_of(direct_site **list, const void *const frames[DIRECT_FRAMES])
{
    direct_site *s = *list;
    while (s && memcmp(s->frames, frames, sizeof s->frames) != 0) s = s->next;
    if (s) return s;
    s = direct_new(sizeof *s);
    memcpy(s->frames, frames, sizeof s->frames);
    s->next = *list;
    *list = s;
    return s;
}

void direct_site_waited(direct_site *s, double seconds)
{
    ++s->waits;
    s->waited += seconds;
    if (seconds > s->longest) s->longest = seconds;
}
