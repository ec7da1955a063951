/* module - the modules of the teaching page on the command line
 * make build/module && build/module message latency=1ms
 *
 * build/module                                  lists the modules and their controls
 * build/module NAME KEY=VALUE...                answers; --out FOLDER writes pictures and data, --json prints JSON
 * build/module --describe                       lists them as JSON
 * build/module NAME --study KEY=VALUE...        makes the study of a module: many runs */
#define _POSIX_C_SOURCE 200809L
#include "module.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void main__list_control(const module_control *c)
{
    char low[MODULE_TEXT], high[MODULE_TEXT];
    printf("  %-12s %-44s %s; ", c->key, c->label, c->initial);
    if (c->kind == MODULE_CHOICE)
        for (size_t k = 0; (double)k <= c->maximum; ++k) printf("%s%s", k > 0 ? ", " : "", c->choices[k]);
    else if (c->kind == MODULE_WHOLE)
        printf("%.0f to %.0f", c->minimum, c->maximum);
    else
        printf("%s to %s", module_text(c->minimum, c->unit, low), module_text(c->maximum, c->unit, high));
    printf("\n");
}

static void main__list(void)
{
    for (size_t m = 0; m < module_count; ++m) {
        const module *which = module_all[m];
        printf("%s%s", m > 0 ? "\n" : "", which->name);
        if (which->study) printf("  (--study: %s)", which->study_label);
        printf("\n");
        for (size_t i = 0; i < which->control_count; ++i) main__list_control(&which->controls[i]);
    }
}

static int main__fails(const char *what, const char *why)
{
    fprintf(stderr, "module: %s%s%s\n", what, *what ? ": " : "", why);
    return 1;
}

static void main__progress(void *user, double part)
{
    (void)user;
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%3.0f %%%s", 100 * part, part >= 1 ? "\r\033[K" : "");
}

/* Reads `key=value`. */
static bool main__read_value(const module *m, const char *word, module_values *values)
{
    const char *equals = strchr(word, '=');
    char key[32], why[MODULE_WHY];
    size_t control;
    snprintf(key, sizeof key, "%.*s", equals ? (int)(equals - word) : 31, word);
    control = module_control_of(m, key);
    if (!equals || control == m->control_count) {
        snprintf(why, sizeof why, "module %s has no such control; build/module lists them", m->name);
        return main__fails(word, why) == 0;
    }
    return module_read(m, control, equals + 1, values, why) || main__fails(key, why) == 0;
}

/* Removes the folder of a run and its files, which nobody wants. */
static void main__remove(const module_run *run, const module_answer *answer)
{
    static const char *const files[] = { "data.csv", "cluster.machine" };
    char path[512];
    for (size_t i = 0; i < answer->picture_count; ++i) remove(module_path(run, answer->pictures[i].file, path));
    for (size_t i = 0; i < 2; ++i) remove(module_path(run, files[i], path));
    rmdir(run->folder);
}

int main(int argc, char **argv)
{
    static module_values values;
    static module_answer answer;
    char made[] = "/tmp/module-XXXXXX";
    const char *folder = NULL;
    bool json = false, study = false, done;

    if (argc < 2) return main__list(), 0;
    if (strcmp(argv[1], "--describe") == 0) return module_describe(stdout), 0;
    const module *m = module_find(argv[1]);
    if (!m) return main__fails(argv[1], "there is no such module; build/module lists them");
    module_defaults(m, &values);
    for (int i = 2; i < argc; ++i)
        if (strcmp(argv[i], "--json") == 0)
            json = true;
        else if (strcmp(argv[i], "--study") == 0)
            study = true;
        else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc)
            folder = argv[++i];
        else if (!main__read_value(m, argv[i], &values))
            return 1;
    if (folder && mkdir(folder, 0777) != 0 && access(folder, W_OK) != 0)
        return main__fails(folder, "cannot be written");
    if (!folder && !mkdtemp(made)) return main__fails(made, "cannot be made");

    const module_run run = { &values, folder ? folder : made, main__progress, NULL };
    done = module_answer_to(m, study, &run, &answer);
    if (!folder) main__remove(&run, &answer);
    if (!done) return main__fails("", answer.error);
    if (json)
        module_answer_json(&answer, stdout);
    else
        module_answer_print(&answer, stdout);
    return fflush(stdout) == 0 ? 0 : main__fails("", "cannot write the answer");
}
