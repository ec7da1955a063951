/* path.c - the critical path of a run. Each thread has a chain of steps that says how it came to where it is: what it computed, and
 * before that what the thread did that woke or made it. The chain of the thread that ends the run is the path. */
#define _GNU_SOURCE
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef enum step_kind { COMPUTES, WAITS, WAKES } step_kind;

struct threads_step {
    const threads_step *before;
    const void *entry;            /* the first function of its thread; NULL: main() */
    const threads_object *object; /* for which it waits, or which it hands over at its end; NULL: none */
    step_kind kind;
    double seconds;
};

/* What a thread has done since its last step, up to a time. */
static void path__add(threads_thread *t, step_kind kind, const threads_object *object, double until)
{
    const double seconds = until - t->path.since;
    if (!(seconds > 0)) return;
    threads_step *s = direct_new(sizeof *s);
    *s = (threads_step){ t->path.last, t->number == 0 ? NULL : t->entry, object, kind, seconds };
    t->path.last = s;
    t->path.since = until;
}

void threads_path_begin(threads_thread *t, threads_thread *maker)
{
    const double now = threads_engine->now();
    if (!threads_set.path) return;
    if (maker) path__add(maker, COMPUTES, NULL, now);
    t->path.last = maker ? maker->path.last : NULL;
    t->path.since = now;
}

void threads_path_wait_end(threads_thread *t, threads_thread *waker, const threads_object *object, double over)
{
    if (!threads_set.path) return;
    if (waker && waker != t) { /* what it did before counts no more: the other came later */
        path__add(waker, COMPUTES, object, over);
        t->path.last = waker->path.last;
        t->path.since = over;
        return;
    }
    path__add(t, COMPUTES, NULL, t->since);
    path__add(t, WAITS, object, over);
}

void threads_path_woken(threads_thread *t)
{
    if (threads_set.path) path__add(t, WAKES, NULL, threads_engine->now());
}

/* The rows of the path of the thread that ends the run: times of the same kind, function and object are added up. */
void threads_path_write(FILE *file, threads_thread *t)
{
    static const char *const kinds[] = { "computing", "waiting", "waking" };
    enum { ROWS = 4096 };
    static struct {
        const threads_step *step;
        double seconds;
        unsigned long long count;
    } rows[ROWS];
    size_t count = 0;
    char entry[512], object[512];
    if (!threads_set.path || !t) return;
    path__add(t, COMPUTES, NULL, threads_engine->now());
    for (const threads_step *s = t->path.last; s; s = s->before) {
        size_t i = 0;
        while (i < count &&
               (rows[i].step->kind != s->kind || rows[i].step->entry != s->entry || rows[i].step->object != s->object))
            ++i;
        if (i == ROWS) i = ROWS - 1; /* so many have never been seen; the sum stays right */
        if (i == count) rows[count++].step = s;
        rows[i].seconds += s->seconds;
        ++rows[i].count;
    }
    for (size_t i = 0; i < count; ++i) {
        const threads_object *o = rows[i].step->object;
        threads_address(rows[i].step->entry, entry, sizeof entry);
        threads_address(o ? o->address : NULL, object, sizeof object);
        fprintf(file, "path\t%s\t%s\t%s\t%s\t%s\t%.17g\t%llu\n", kinds[rows[i].step->kind],
                rows[i].step->entry ? entry : "main", o ? threads_kind_name(o->kind) : "",
                o && o->address ? object : "", o ? o->name : "", rows[i].seconds, rows[i].count);
    }
}
