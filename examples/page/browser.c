/* browser.c - the modules of the page as functions that JavaScript calls
 *
 * Everything is text: the answer of a call is a file in /out, which JavaScript reads when the call has returned. A call
 * may switch stacks on its way, so it returns nothing: see "switching" in simkit.h. */
#include "module.h"

#include <emscripten.h>
#include <string.h>

#define FOLDER "/out"

EM_JS(void, page_progress, (double part), { Module.progress(part); });

static void browser__progress(void *user, double part)
{
    (void)user;
    page_progress(part);
}

static void browser__put_string(FILE *out, const char *before, const char *text)
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

/* Reads lines of KEY=VALUE; writes those that are wrong, with the reasons, and gives their number. */
static int browser__read(const module *m, const char *lines, module_values *values, FILE *out)
{
    int wrong = 0;
    fputs("{\"wrong\":{", out);
    while (*lines) {
        const size_t length = strcspn(lines, "\n"), key = strcspn(lines, "=");
        char line[MODULE_TEXT * 4], why[MODULE_WHY];
        snprintf(line, sizeof line, "%.*s", (int)length, lines);
        lines += length + (lines[length] == '\n');
        if (key >= length || key >= sizeof line) continue;
        line[key] = 0;
        const size_t control = module_control_of(m, line);
        if (control == m->control_count || module_read(m, control, line + key + 1, values, why)) continue;
        browser__put_string(out, wrong++ ? "," : "", line);
        browser__put_string(out, ":", why);
    }
    fputs("}", out);
    return wrong;
}

static void browser__put_values(const module *m, const module_values *values, FILE *out)
{
    fputs(",\"values\":{", out);
    for (size_t i = 0; i < m->control_count; ++i) {
        browser__put_string(out, i > 0 ? "," : "", m->controls[i].key);
        fprintf(out, ":%.17g", values->value[i]);
    }
    fputs("}", out);
}

/* Answers the question of a module, or makes its study. `values` are lines of KEY=VALUE; a key that is missing has its
 * default. Writes /out/answer.json: {"wrong": {KEY: why}, "values": {KEY: number}, "answer": ...}, without an answer if
 * a value is wrong. */
EMSCRIPTEN_KEEPALIVE void page_answer(const char *name, const char *values, int study)
{
    static module_values read; /* the stack is small */
    static module_answer answer;
    const module *m = module_find(name);
    FILE *out = m ? fopen(FOLDER "/answer.json", "w") : NULL;
    if (!out) return;
    module_defaults(m, &read);
    const int wrong = browser__read(m, values, &read, out);
    browser__put_values(m, &read, out);
    if (wrong == 0) {
        const module_run run = { &read, FOLDER, browser__progress, NULL };
        module_answer_to(m, study != 0, &run, &answer);
        fputs(",\"answer\":", out);
        module_answer_json(&answer, out);
    }
    fputs("}\n", out);
    fclose(out);
}
