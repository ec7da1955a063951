/* make.c - makes runs, each by itself: a line of results from the number of a run */
#define _POSIX_C_SOURCE 200809L
#include "core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool sweep_maker_open(sweep_maker *m, const sweep *s)
{
    memset(m, 0, sizeof *m);
    m->s = s;
    m->point = SIZE_MAX;
    m->model_value = (double *)malloc((s->model->parameter_count + 1) * sizeof *m->model_value);
    m->results = (double *)malloc(s->model->result_count * sizeof *m->results);
    if (m->model_value && m->results) {
        memcpy(m->model_value, s->set, s->model->parameter_count * sizeof *m->model_value);
        return true;
    }
    sweep_maker_close(m);
    return false;
}

void sweep_maker_close(sweep_maker *m)
{
    simkit_machine_close(m->machine);
    sweep_text_free(&m->machine_text);
    sweep_text_free(&m->line);
    free(m->model_value);
    free(m->results);
    memset(m, 0, sizeof *m);
}

/* Goes to a point: its values, its machine. */
static void go_to(sweep_maker *m, size_t point)
{
    const sweep *s = m->s;
    double value[SWEEP_PARAMETERS];
    bool other = m->point == SIZE_MAX;
    sweep_values(s, point, value);
    for (size_t i = 0; i < s->parameters; ++i) {
        const bool changed = m->point == SIZE_MAX || value[i] < m->value[i] || value[i] > m->value[i];
        if (s->target[i].model != SIZE_MAX)
            m->model_value[s->target[i].model] = value[i];
        else
            other = other || changed;
        m->value[i] = value[i];
    }
    m->point = point;
    if (!other || !s->varies) return;
    simkit_parse_error error;
    simkit_machine_close(m->machine);
    const simkit_result result = sweep_machine_read(s, m->value, &m->machine_text, &m->machine, &error);
    snprintf(m->why_machine, sizeof m->why_machine, "%s",
             result == SIMKIT_OK ? ""
             : *error.text       ? error.text
                                 : simkit_result_text(result));
}

bool sweep_maker_run(sweep_maker *m, uint64_t run)
{
    const sweep *s = m->s;
    const size_t point = (size_t)(run / s->most), seed = (size_t)(run % s->most);
    char why[SWEEP_WHY] = "";
    const char *failed = NULL;
    if (point != m->point) go_to(m, point);
    const sweep_point here = { m->model_value, seed + 1, s->varies ? m->machine : s->machine, s->shared, why };
    for (size_t i = 0; i < s->model->result_count; ++i) m->results[i] = (double)NAN;
    if (*m->why_machine)
        failed = m->why_machine;
    else if (s->model->run(&here, m->results) != 0)
        failed = why;
    size_t set = 0;
    for (size_t i = 0; i < s->model->result_count; ++i) set += !isnan(m->results[i]);
    if (!failed && set == 0) {
        sweep_fail(&here, "no result was set");
        failed = why;
    }
    for (size_t i = 0; i < s->model->result_count && !failed; ++i)
        if (isinf(m->results[i])) {
            sweep_fail(&here, "result '%s' is infinite", s->model->results[i].name);
            failed = why;
        }
    sweep_line_make(s, &m->line, point, m->value, seed, m->results, failed);
    return !m->line.failed;
}

bool sweep_make_again(sweep *s)
{
    sweep_maker m;
    size_t run = 0;
    const size_t runs = s->points * s->most, results = s->model->result_count;
    while (run < runs && s->state[run] != SWEEP_DONE) ++run;
    if (run == runs) return true;
    if (!sweep_maker_open(&m, s) || !sweep_maker_run(&m, run)) {
        sweep_maker_close(&m);
        return sweep_says(s, "no memory for a run");
    }
    bool same = true;
    for (size_t i = 0; i < results; ++i) {
        const double now = m.results[i], before = s->found[run * results + i];
        same = same && (isnan(now) ? isnan(before) : fabs(now - before) <= 1e-9 * fabs(before));
    }
    sweep_maker_close(&m);
    return same ||
           sweep_says(s,
                      "%s: the run of point %lu, seed %lu has other results now: the model has changed (raise its "
                      "version, and name another file with --out), or it depends on more than point and seed",
                      s->results, (unsigned long)(run / s->most) + 1, (unsigned long)(run % s->most) + 1);
}

double sweep_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void duration_text(double seconds, char text[24])
{
    if (seconds < 99.5)
        snprintf(text, 24, "%.0f s", seconds);
    else if (seconds < 99.5 * 60)
        snprintf(text, 24, "%.0f min", seconds / 60);
    else
        snprintf(text, 24, "%.1f h", fmin(seconds / 3600, 1e6));
}

void sweep_progress_text(const sweep *s, double seconds, size_t at_first, char text[160])
{
    const sweep_tally t = s->tally;
    const size_t ended = t.done + t.failed, made = ended - at_first, left = s->missing + s->dealt;
    char time[24], failed[40] = "";
    duration_text(made > 0 ? seconds / (double)made * (double)left : 0, time);
    if (t.failed > 0) snprintf(failed, sizeof failed, ", %lu failed", (unsigned long)t.failed);
    snprintf(text, 160, "%lu of %lu runs%s, %s%s left", (unsigned long)ended, (unsigned long)(ended + left), failed,
             made > 0 ? "about " : "", made > 0 ? time : "unknown time");
}
