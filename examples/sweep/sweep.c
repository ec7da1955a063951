/* sweep.c - opening and closing a sweep */
#define _DEFAULT_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* `../lu.sweep` as `lu.csv`, or `lu.2-of-3.csv`. */
static bool name_results(sweep *s, const char *given)
{
    const char *slash = strrchr(s->path, '/'), *base = slash ? slash + 1 : s->path, *dot = strrchr(base, '.');
    const size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base),
                 size = (given ? strlen(given) : length) + 64;
    s->results = (char *)malloc(size);
    if (!s->results) return sweep_says(s, "no memory for the sweep");
    if (given)
        snprintf(s->results, size, "%s", given);
    else if (s->shards > 0)
        snprintf(s->results, size, "%.*s.%u-of-%u.csv", (int)length, base, s->shard, s->shards);
    else
        snprintf(s->results, size, "%.*s.csv", (int)length, base);
    if (!*s->name) snprintf(s->name, sizeof s->name, "%.*s", (int)length, base);
    return true;
}

static bool open_model(sweep *s)
{
    if (!s->model->open) return true;
    return s->opened = s->model->open(s->input, &s->shared, s->why);
}

bool sweep_open(const sweep_desc *desc, sweep **result, char *why)
{
    sweep *s = (sweep *)calloc(1, sizeof *s);
    *result = NULL;
    why[0] = 0;
    if (!s) return !snprintf(why, SWEEP_WHY, "no memory for the sweep");
    s->file = -1;
    s->read_only = desc->read_only;
    s->bare = desc->bare;
    s->retry = desc->retry;
    s->shard = desc->shard;
    s->shards = desc->shards;
    s->path = strdup(desc->path);
    if (s->path && sweep_file_read(s, desc) && name_results(s, desc->results) && sweep_points_open(s) &&
        sweep_machine_open(s) && open_model(s) && sweep_results_open(s)) {
        if (!s->bare) sweep_deal_begin(s);
        *result = s;
        return true;
    }
    snprintf(why, SWEEP_WHY, "%s", *s->why ? s->why : "no memory for the sweep");
    sweep_close(s);
    return false;
}

void sweep_close(sweep *s)
{
    if (!s) return;
    if (s->file >= 0) close(s->file);
    if (s->opened && s->model->close) s->model->close(s->shared);
    for (size_t i = 0; i < s->parameters; ++i) {
        free(s->parameter[i].values);
        free(s->parameter[i].words);
    }
    for (size_t i = 0; i < s->failures; ++i) free(s->failure[i].message);
    simkit_machine_close(s->machine);
    free(s->failure);
    free(s->again);
    free(s->listed);
    free(s->part);
    free(s->table);
    free(s->ended);
    free(s->asked);
    free(s->state);
    free(s->found);
    sweep_text_free(&s->header);
    free(s->cut);
    free(s->machine_text);
    free(s->machine_path);
    free(s->input);
    free(s->direction);
    free(s->set);
    free(s->results);
    free(s->path);
    if (s->object) dlclose(s->object);
    free(s);
}
