/* What the tests of maps of loads share: the record of the world, and the files written of it. Include after simkit.h. */
#ifndef LOADMAP_H
#define LOADMAP_H

#include "formats.h"
#include "scratch.h"
#include "network.h"
#include "written.h"

static simkit_loadmap *map;

static inline void open_map(void)
{
    succeeds(simkit_loadmap_open(world, &map));
}

/* The text of a file, until the next one. */
static inline const char *text_of(const char *path)
{
    static char *text;
    free(text);
    return text = take(path);
}

static inline const char *written(const simkit_loadmap_desc *desc)
{
    succeeds(simkit_loadmap_write(map, desc));
    return text_of(desc->path);
}

static inline const char *picture(void)
{
    const char *text = written(&(simkit_loadmap_desc){ .path = FILE_NAME(".svg"), .title = "<a> & \"b\"" });
    assert_true(xml_is_well_formed(text));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    return text;
}

#endif
