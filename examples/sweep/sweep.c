/* sweep.c - opening and closing a sweep, and what it says about itself */
#define _DEFAULT_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool sweep_says(sweep *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->why, sizeof s->why, format, arguments);
    va_end(arguments);
    return false;
}

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

const char *sweep_why(const sweep *s)
{
    return s->why;
}

const char *sweep_name(const sweep *s)
{
    return s->name;
}

const char *sweep_path(const sweep *s)
{
    return s->results;
}

const sweep_model *sweep_model_of(const sweep *s)
{
    return s->model;
}

sweep_design sweep_design_of(const sweep *s)
{
    return s->design;
}

const sweep_parameter *sweep_parameters(const sweep *s, size_t *count)
{
    *count = s->parameters;
    return s->parameter;
}

size_t sweep_watched(const sweep *s)
{
    return s->watched;
}

const sweep_picture *sweep_pictures(const sweep *s, size_t *count)
{
    *count = s->pictures;
    return s->picture;
}

const sweep_choice *sweep_choices(const sweep *s, size_t *count)
{
    *count = s->choices;
    return s->choice;
}

size_t sweep_points(const sweep *s)
{
    return s->points;
}

size_t sweep_base(const sweep *s)
{
    return s->base;
}

size_t sweep_seeds(const sweep *s)
{
    return s->most;
}

double sweep_found(const sweep *s, size_t point, size_t seed, size_t result)
{
    const size_t run = point * s->most + seed;
    if (point >= s->points || seed >= s->most || s->state[run] != SWEEP_DONE) return (double)NAN;
    return s->found[run * s->model->result_count + result];
}

sweep_tally sweep_progress(const sweep *s)
{
    return s->tally;
}

void sweep_failures(const sweep *s,
                    void (*call)(void *user, const char *message, size_t times, size_t point, size_t seed), void *user)
{
    for (size_t i = 0; i < s->failures; ++i)
        if (s->failure[i].times > 0)
            call(user, s->failure[i].message, s->failure[i].times, s->failure[i].point, s->failure[i].seed);
}
