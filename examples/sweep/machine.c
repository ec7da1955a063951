/* machine.c - the machine file of a sweep, with the numbers of a point in their places
 *
 * Numbers are replaced in the text, which is then read as any machine file: so every number in it can be a parameter, and
 * what one number means for others is known in one place. */
#include "core.h"

#include "../interval_machine.h"

#include <stdlib.h>
#include <string.h>

/* `[ operation  multiply ]` as `operation multiply`. */
static void section_name(const char *from, const char *end, char name[80])
{
    size_t length = 0;
    for (++from; from < end && *from != ']'; ++from) {
        const bool blank = *from == ' ' || *from == '\t';
        if (blank && (length == 0 || name[length - 1] == ' ')) continue;
        char next = *from;
        if (blank) next = ' ';
        if (length + 1 < 80) name[length++] = next;
    }
    while (length > 0 && name[length - 1] == ' ') --length;
    name[length] = 0;
}

/* Adds a cut, in the order of the text. */
static bool add_cut(sweep *s, const sweep_cut *cut)
{
    sweep_cut *larger = (sweep_cut *)realloc(s->cut, (s->cuts + 1) * sizeof *larger);
    if (!larger) return sweep_says(s, "no memory for the machine file");
    s->cut = larger;
    size_t at = s->cuts++;
    for (; at > 0 && larger[at - 1].from > cut->from; --at) larger[at] = larger[at - 1];
    larger[at] = *cut;
    return true;
}

static bool find_place(sweep *s, size_t parameter, const sweep_place *place)
{
    const sweep_parameter *p = &s->parameter[parameter];
    const bool scales = s->target[parameter].scales;
    sweep_cut cut = { 0, 0, parameter, 1, p->unit, "" };
    simkit_reader r;
    size_t header = 0, headers = 0;
    bool inside = false, found = false;
    simkit_reader_init(&r, s->machine_text, s->machine_length, s->machine_path);
    while (simkit_reader_line(&r)) {
        char section[80], key[32];
        if (*r.at == '[') {
            section_name(r.at, r.end, section);
            inside = strcmp(section, place->section) == 0;
            if (inside) ++headers, header = (size_t)(r.end - s->machine_text);
            continue;
        }
        if (!inside || !simkit_reader_word(&r, key, "a key") || !simkit_reader_accept(&r, '=') ||
            strcmp(key, place->key) != 0)
            continue;
        simkit_reader_accept(&r, ' ');
        found = true;
        cut.from = (size_t)(r.at - s->machine_text);
        cut.to = (size_t)(r.end - s->machine_text);
        if (scales && !simkit_reader_quantity(&r, NULL, &cut.factor, &cut.unit))
            return sweep_says(s, "%s; parameter '%s' scales it", r.error.text, p->name);
    }
    if (headers == 0)
        return sweep_says(s, "%s has no section [%s], which parameter '%s' changes", s->machine_path, place->section,
                          p->name);
    if (headers > 1)
        return sweep_says(
            s,
            "%s has %lu sections [%s], so it is not clear which one parameter '%s' changes: name them, as in "
            "[node fast]",
            s->machine_path, (unsigned long)headers, place->section, p->name);
    if (!found && scales)
        return sweep_says(s, "%s has no '%s' in [%s], which parameter '%s' scales", s->machine_path, place->key,
                          place->section, p->name);
    if (!found) {
        cut.from = cut.to = header;
        cut.before = place->key;
    }
    for (size_t i = 0; i < s->cuts; ++i)
        if (found && s->cut[i].from == cut.from)
            return sweep_says(s, "parameters '%s' and '%s' both change '%s' in [%s] of %s",
                              s->parameter[s->cut[i].parameter].name, p->name, place->key, place->section,
                              s->machine_path);
    return add_cut(s, &cut);
}

static void machine_text(const sweep *s, const double *value, sweep_text *text)
{
    size_t at = 0;
    text->length = 0;
    for (size_t i = 0; i < s->cuts; ++i) {
        const sweep_cut *cut = &s->cut[i];
        const sweep_parameter *p = &s->parameter[cut->parameter];
        sweep_text_add(text, s->machine_text + at, cut->from - at);
        if (*cut->before) {
            sweep_text_add(text, "\n", 1);
            sweep_text_add(text, cut->before, strlen(cut->before));
            sweep_text_add(text, " = ", 3);
        }
        if (p->words) {
            const char *word = sweep_word(p, value[cut->parameter]);
            sweep_text_add(text, word, strlen(word));
        } else {
            sweep_text_number(text, sweep_round(value[cut->parameter] * cut->factor));
            sweep_text_add(text, " ", 1);
            const char *unit = strcmp(cut->unit, "1") == 0 ? "" : strcmp(cut->unit, "1/s") == 0 ? "/s" : cut->unit;
            sweep_text_add(text, unit, strlen(unit));
        }
        at = cut->to;
    }
    sweep_text_add(text, s->machine_text + at, s->machine_length - at);
}

simkit_result sweep_machine_read(const sweep *s, const double *value, sweep_text *text, simkit_machine **machine,
                                 simkit_parse_error *error)
{
    simkit_input input = { .name = s->machine_path };
    *machine = NULL;
    *error = (simkit_parse_error){ 0 };
    machine_text(s, value, text);
    input.text = text->text;
    input.length = text->length;
    for (size_t i = 0; i < s->parameters; ++i)
        if (s->parameter[i].draws) input.draw = (unsigned)value[i];
    return text->failed ? SIMKIT_NO_MEMORY : simkit_machine_read(&input, machine, error);
}

static bool read_text(sweep *s)
{
    sweep_text text = { 0 };
    const int error = sweep_text_read(&text, s->machine_path);
    if (error == 0 && !text.text) sweep_text_add(&text, "", 0); /* an empty file */
    s->machine_text = text.text;
    s->machine_length = text.length;
    if (error != 0) return sweep_says(s, "%s: %s", s->machine_path, strerror(error));
    return !text.failed || sweep_says(s, "no memory for %s", s->machine_path);
}

/* Leaves comments and blanks out of the text, line by line: it is read once for each point. */
static void strip(sweep *s)
{
    simkit_reader r;
    size_t length = 0;
    unsigned line = 1;
    simkit_reader_init(&r, s->machine_text, s->machine_length, s->machine_path);
    while (simkit_reader_line(&r)) {
        for (; line < r.line; ++line) s->machine_text[length++] = '\n'; /* errors keep the numbers of their lines */
        const size_t from = (size_t)(r.at - s->machine_text), to = (size_t)(r.end - s->machine_text);
        memmove(s->machine_text + length, s->machine_text + from, to - from);
        length += to - from;
    }
    if (length < s->machine_length) s->machine_text[length++] = '\n';
    s->machine_length = length;
}

bool sweep_machine_open(sweep *s)
{
    size_t draws = SIZE_MAX;
    for (size_t i = 0; i < s->parameters; ++i) {
        if (s->parameter[i].draws) draws = i;
        s->varies = s->varies || s->target[i].places > 0 || s->parameter[i].draws;
    }
    if (!s->machine_path)
        return !s->varies ||
               sweep_says(s, "%s: parameters that set, scale or draw a number need a 'machine' in [sweep]", s->path);
    if (!read_text(s)) return false;
    strip(s);
    for (size_t i = 0; i < s->machine_length; ++i) /* without the blank lines that comments leave */
        if (s->machine_text[i] != '\n' || (i > 0 && s->machine_text[i - 1] != '\n'))
            s->context = sweep_hash(s->context, s->machine_text + i, 1);
    for (size_t i = 0; i < s->parameters; ++i)
        for (size_t k = 0; k < s->target[i].places; ++k)
            if (!find_place(s, i, &s->target[i].place[k])) return false;

    /* The first point says whether the places can hold such values. */
    double value[SWEEP_PARAMETERS];
    sweep_text text = { 0 };
    simkit_machine *machine;
    simkit_parse_error error;
    sweep_values(s, 0, value);
    const simkit_result result = sweep_machine_read(s, value, &text, &machine, &error);
    sweep_text_free(&text);
    if (result != SIMKIT_OK)
        return s->varies && *error.text
                   ? sweep_says(s, "%s: with the values of its first point, the machine file is wrong: %s", s->path,
                                error.text)
                   : sweep_says(s, "%s", *error.text ? error.text : simkit_result_text(result));
    s->unsure = interval_unsure(machine);
    const unsigned errors = machine->errors;
    if (s->varies)
        simkit_machine_close(machine);
    else
        s->machine = machine;
    return draws == SIZE_MAX || errors > 0 ||
           sweep_says(s, "%s has no value with an error, as '58 us +- 2 us', that parameter '%s' could draw",
                      s->machine_path, s->parameter[draws].name);
}
