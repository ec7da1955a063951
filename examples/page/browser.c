/* browser.c - the modules of the page as functions that JavaScript calls
 *
 * Everything is text: what a call answers is a file in /out, which JavaScript reads when the call has returned. A call may
 * switch stacks on its way, so it returns nothing: see "switching" in simkit.h. */
#include "module.h"

#include <emscripten.h>
#include <string.h>

#define FOLDER "/out"

EM_JS(void, page_progress, (double part), { Module.progress(part); });

static void progress(void *user, double part)
{
    (void)user;
    page_progress(part);
}

static void put_string(FILE *out, const char *before, const char *text)
{
    fputs(before, out);
    module_json_string(text, out);
}

/* Writes /out/modules.json. */
EMSCRIPTEN_KEEPALIVE void page_describe(void)
{
    FILE *out = fopen(FOLDER "/modules.json", "w");
    if (!out) return;
    module_describe(out);
    fclose(out);
}

/* Answers the question of a module, or makes its study. `values` are lines of KEY=VALUE; a key that is missing has its
 * default. Writes /out/answer.json: {"wrong": {KEY: why}, "values": {KEY: number}, "answer": ...}, without an answer if a value
 * is wrong. */
EMSCRIPTEN_KEEPALIVE void page_answer(const char *name, const char *values, int study)
{
    static module_values read; /* the stack is small */
    static module_answer answer;
    const module *m = module_find(name);
    FILE *out = m ? fopen(FOLDER "/answer.json", "w") : NULL;
    int wrong = 0;
    if (!out) return;
    module_defaults(m, &read);
    fputs("{\"wrong\":{", out);
    while (*values) {
        const size_t length = strcspn(values, "\n"), key = strcspn(values, "=");
        char line[MODULE_TEXT * 4], why[MODULE_WHY];
        snprintf(line, sizeof line, "%.*s", (int)length, values);
        values += length + (values[length] == '\n');
        if (key >= length || key >= sizeof line) continue;
        line[key] = 0;
        const size_t control = module_control_of(m, line);
        if (control == m->control_count || module_read(m, control, line + key + 1, &read, why)) continue;
        put_string(out, wrong++ ? "," : "", line);
        put_string(out, ":", why);
    }
    fputs("}", out);
    fputs(",\"values\":{", out);
    for (size_t i = 0; i < m->control_count; ++i) {
        put_string(out, i > 0 ? "," : "", m->controls[i].key);
        fprintf(out, ":%.17g", read.value[i]);
    }
    fputs("}", out);
    if (wrong == 0) {
        const module_run run = { &read, FOLDER, progress, NULL };
        module_answer_to(m, study != 0, &run, &answer);
        fputs(",\"answer\":", out);
        module_answer_json(&answer, out);
    }
    fputs("}\n", out);
    fclose(out);
}
