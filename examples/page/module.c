/* module.c - see module.h */
#include "module.h"

#include "simkit.h"
#include "util/simkit_files.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/*=============================================================================
 * MARK: - >>modules
 *===========================================================================*/

const module *const module_all[] = { &module_message,  &module_sharing, &module_load,  &module_program,
                                     &module_slowdown, &module_trust,   &module_queues };
const size_t module_count = sizeof module_all / sizeof *module_all;

const module *module_find(const char *name)
{
    for (size_t i = 0; i < module_count; ++i)
        if (strcmp(module_all[i]->name, name) == 0) return module_all[i];
    return NULL;
}

/*=============================================================================
 * MARK: - >>texts
 *===========================================================================*/

const char *module_text(double value, const char *unit, char text[MODULE_TEXT])
{
    static const struct {
        const char *name;
        double factor;
    } prefixes[] = { { "n", 1e-9 }, { "u", 1e-6 }, { "m", 1e-3 }, { "", 1 }, { "k", 1e3 }, { "M", 1e6 }, { "G", 1e9 } };
    enum { NONE = 3, PREFIXES = sizeof prefixes / sizeof *prefixes };
    const double size = fabs(value);
    size_t i = NONE;
    if (strcmp(unit, "%") == 0) {
        if (size > 0 && size < 1e-5)
            snprintf(text, MODULE_TEXT, value > 0 ? "< 0.001 %%" : "> -0.001 %%");
        else
            snprintf(text, MODULE_TEXT, size >= 1 ? "%.0f %%" : "%.3g %%", 100 * value);
    } else if (!*unit || strcmp(unit, "1") == 0)
        snprintf(text, MODULE_TEXT, size > 0 && size < 1e-4 ? "< 0.0001" : size < 9999.5 ? "%.4g" : "%.0f", value);
    else {
        const bool seconds = strcmp(unit, "s") == 0; /* 12000 s are not 12 ks */
        while (!seconds && i + 1 < PREFIXES && size >= 999.95 * prefixes[i].factor) ++i;
        while (seconds && i > 0 && size > 0 && size < 0.99995 * prefixes[i].factor) --i;
        const double number = value / prefixes[i].factor;
        snprintf(text, MODULE_TEXT, fabs(number) >= 99995 ? "%.0f %s%s" : "%.4g %s%s", number, prefixes[i].name, unit);
        if (seconds && size >= 9999.5) snprintf(text, MODULE_TEXT, "%.0f s", value);
    }
    return text;
}

/* Writes the value of a control as a text: a word, a whole number, or a quantity. */
static const char *module__text_of(const module_control *c, double value, char text[MODULE_TEXT])
{
    if (c->kind == MODULE_CHOICE)
        snprintf(text, MODULE_TEXT, "%s", c->choices[(size_t)value]);
    else if (c->kind == MODULE_WHOLE)
        snprintf(text, MODULE_TEXT, "%.0f", value);
    else
        module_text(value, c->unit, text);
    return text;
}

/*=============================================================================
 * MARK: - >>values
 *===========================================================================*/

size_t module_control_of(const module *m, const char *key)
{
    size_t i = 0;
    while (i < m->control_count && strcmp(m->controls[i].key, key) != 0) ++i;
    return i;
}

static bool module__read_choice(const module_control *c, const char *text, double *value, char why[MODULE_WHY])
{
    size_t used;
    for (size_t i = 0; (double)i <= c->maximum; ++i)
        if (strcmp(c->choices[i], text) == 0) return *value = (double)i, true;
    used = (size_t)snprintf(why, MODULE_WHY, "'%.30s' is not one of the choices:", text);
    for (size_t i = 0; (double)i <= c->maximum && used + 40 < MODULE_WHY; ++i)
        used += (size_t)snprintf(why + used, MODULE_WHY - used, "%s %s", i > 0 ? "," : "", c->choices[i]);
    return false;
}

/* Reads a number with its unit, by the rules of machine files. An error is the reader's sentence without the place,
 * which is this field. */
static bool module__read_number(const module_control *c, const char *text, double *value, char why[MODULE_WHY])
{
    const char *const base = c->kind == MODULE_WHOLE ? "1" : c->unit;
    simkit_reader reader;
    simkit_reader_init(&reader, text, strlen(text), "value");
    if (!simkit_reader_line(&reader)) {
        snprintf(why, MODULE_WHY, "there is no value");
        return false;
    }
    if (simkit_reader_quantity(&reader, base, value, NULL)) {
        if (simkit_reader_end(&reader)) return true;
        snprintf(why, MODULE_WHY, "expected one value, but '%.30s' follows it", reader.at);
        return false;
    }
    const char *sentence = strstr(reader.error.text, ": ");
    snprintf(why, MODULE_WHY, "%s", sentence ? sentence + 2 : reader.error.text);
    return false;
}

bool module_read(const module *m, size_t control, const char *text, module_values *values, char why[MODULE_WHY])
{
    const module_control *c = &m->controls[control];
    char low[MODULE_TEXT], high[MODULE_TEXT];
    double value = 0;
    if (strlen(text) >= MODULE_TEXT) {
        snprintf(why, MODULE_WHY, "the value has %lu characters, at most %d are read", (unsigned long)strlen(text),
                 MODULE_TEXT - 1);
        return false;
    }
    if (c->kind == MODULE_CHOICE ? !module__read_choice(c, text, &value, why)
                                 : !module__read_number(c, text, &value, why))
        return false;
    if (c->kind == MODULE_WHOLE && value > floor(value)) {
        snprintf(why, MODULE_WHY, "%s is not a whole number", text);
        return false;
    }
    if (!(value >= c->minimum && value <= c->maximum)) {
        snprintf(why, MODULE_WHY, "%s is outside of %s to %s", text, module__text_of(c, c->minimum, low),
                 module__text_of(c, c->maximum, high));
        return false;
    }
    values->value[control] = value;
    snprintf(values->text[control], MODULE_TEXT, "%s", text);
    return true;
}

void module_defaults(const module *m, module_values *values)
{
    char why[MODULE_WHY];
    memset(values, 0, sizeof *values);
    for (size_t i = 0; i < m->control_count; ++i) module_read(m, i, m->controls[i].initial, values, why);
}

double module_value(const module *m, const module_values *values, const char *key)
{
    return values->value[module_control_of(m, key)];
}

/*=============================================================================
 * MARK: - >>answers
 *===========================================================================*/

bool module_answer_to(const module *m, bool study, const module_run *run, module_answer *a)
{
    memset(a, 0, sizeof *a);
    if (study && !m->study) return module_fail(a, "module %s has no study", m->name);
    return study ? m->study(run, a) : m->answer(run, a);
}

const char *module_word(module_answer *a, double value, const char *unit)
{
    return module_text(value, unit, a->words[a->word_count++ % MODULE_WORDS]);
}

void module_because(module_answer *a, size_t number, const char *sentence, ...)
{
    va_list values;
    va_start(values, sentence);
    vsnprintf(a->why[number], sizeof a->why[number], sentence, values);
    va_end(values);
}

void module_add(module_answer *a, const char *key, const char *unit, double value, const char *label, ...)
{
    module_number *number = &a->numbers[a->number_count];
    va_list values;
    if (a->number_count == MODULE_NUMBERS) return;
    ++a->number_count;
    number->key = key;
    number->unit = unit;
    number->value = value;
    va_start(values, label);
    vsnprintf(number->label, sizeof number->label, label, values);
    va_end(values);
}

void module_show(module_answer *a, const char *file, const char *text, ...)
{
    module_picture *picture = &a->pictures[a->picture_count];
    va_list values;
    if (a->picture_count == MODULE_PICTURES) return;
    ++a->picture_count;
    picture->file = file;
    va_start(values, text);
    vsnprintf(picture->text, sizeof picture->text, text, values);
    va_end(values);
}

bool module_fail(module_answer *a, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(a->error, sizeof a->error, format, values);
    va_end(values);
    return false;
}

const char *module_path(const module_run *run, const char *file, char path[512])
{
    snprintf(path, 512, "%s/%s", run->folder, file);
    return path;
}

FILE *module_open(const module_run *run, const char *file, module_answer *a)
{
    char path[512];
    FILE *opened = fopen(module_path(run, file, path), "w");
    if (!opened) module_fail(a, "cannot write %.120s: %s", path, strerror(errno));
    return opened;
}

bool module_close(FILE *file, const char *name, module_answer *a)
{
    const bool written = !ferror(file);
    return (fclose(file) == 0 && written) || module_fail(a, "cannot write all of %s", name);
}

/*=============================================================================
 * MARK: - >>printing
 *===========================================================================*/

void module_json_string(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; ++text)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    fputc('"', out);
}

/* Writes the text `before`, a key and a string. */
static void module__put_pair(const char *before, const char *key, const char *text, FILE *out)
{
    fprintf(out, "%s\"%s\":", before, key);
    module_json_string(text, out);
}

static void module__put_double(const char *key, double value, FILE *out)
{
    fprintf(out, isfinite(value) ? ",\"%s\":%.17g" : ",\"%s\":null", key, value);
}

void module_answer_json(const module_answer *a, FILE *out)
{
    char text[MODULE_TEXT];
    module__put_pair("{", "error", a->error, out);
    module__put_pair(",\n", "formula", a->formula, out);
    fputs(",\n\"why\":[", out);
    for (size_t i = 0; i < MODULE_REASONS; ++i) {
        if (i > 0) fputs(",\n", out);
        module_json_string(a->why[i], out);
    }
    fputs("],\n\"numbers\":[", out);
    for (size_t i = 0; i < a->number_count; ++i) {
        const module_number *n = &a->numbers[i];
        module__put_pair(i > 0 ? ",\n{" : "{", "key", n->key, out);
        module__put_pair(",", "label", n->label, out);
        module__put_pair(",", "text", isnan(n->value) ? "none" : module_text(n->value, n->unit, text), out);
        module__put_double("value", n->value, out);
        fputc('}', out);
    }
    fputs("],\n\"pictures\":[", out);
    for (size_t i = 0; i < a->picture_count; ++i) {
        module__put_pair(i > 0 ? ",\n{" : "{", "file", a->pictures[i].file, out);
        module__put_pair(",", "text", a->pictures[i].text, out);
        fputc('}', out);
    }
    fputs("]}\n", out);
}

void module_answer_print(const module_answer *a, FILE *out)
{
    char text[MODULE_TEXT];
    fprintf(out, "%s\n", a->formula);
    for (size_t i = 0; i < a->number_count; ++i)
        fprintf(out, "%-58s %14s\n", a->numbers[i].label,
                isnan(a->numbers[i].value) ? "none" : module_text(a->numbers[i].value, a->numbers[i].unit, text));
    for (size_t i = 0; i < MODULE_REASONS; ++i) fprintf(out, "%s%s\n", i == 0 ? "\n" : "", a->why[i]);
}

static void module__describe_choices(const module_control *c, FILE *out)
{
    fputs(",\"choices\":[", out);
    for (size_t k = 0; (double)k <= c->maximum; ++k) {
        if (k > 0) fputc(',', out);
        module_json_string(c->choices[k], out);
    }
    fputc(']', out);
}

/* Writes a control with the value of its default. */
static void module__describe_control(const char *before, const module_control *c, double initial, FILE *out)
{
    static const char *const kinds[] = { "quantity", "whole", "choice" };
    module__put_pair(before, "key", c->key, out);
    module__put_pair(",", "label", c->label, out);
    module__put_pair(",", "kind", kinds[c->kind], out);
    module__put_pair(",", "unit", c->unit ? c->unit : "", out);
    module__put_pair(",", "initial", c->initial, out);
    module__put_double("value", initial, out);
    module__put_pair(",", "group", c->group ? c->group : "", out);
    module__put_double("minimum", c->minimum, out);
    module__put_double("maximum", c->maximum, out);
    fprintf(out, ",\"logarithmic\":%s", c->logarithmic ? "true" : "false");
    if (c->choices) module__describe_choices(c, out);
    fputc('}', out);
}

void module_describe(FILE *out)
{
    fputs("[", out);
    for (size_t m = 0; m < module_count; ++m) {
        const module *which = module_all[m];
        module_values initial;
        module_defaults(which, &initial);
        module__put_pair(m > 0 ? ",\n{" : "{", "name", which->name, out);
        fprintf(out, ",\"machine\":%s", which->machine ? "true" : "false");
        if (which->study) module__put_pair(",", "study", which->study_label, out);
        fputs(",\"controls\":[", out);
        for (size_t i = 0; i < which->control_count; ++i)
            module__describe_control(i > 0 ? ",\n{" : "\n{", &which->controls[i], initial.value[i], out);
        fputs("]}", out);
    }
    fputs("]\n", out);
}
