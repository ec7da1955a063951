/* about.c - what a sweep says about itself: its parts, how far it is, what was found, and why something is wrong */
#include "core.h"

#include <math.h>
#include <stdarg.h>

bool sweep_says(sweep *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->why, sizeof s->why, format, arguments);
    va_end(arguments);
    return false;
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
