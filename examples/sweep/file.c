/* file.c - reads sweep files; docs/sweep.md describes them */
#include "core.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE, SWEEP, SET, PARAMETER, PICTURE, CHOICE };

/* What is read, and where. */
typedef struct reading {
    sweep *s;
    const sweep_desc *desc;
    simkit_reader r;
    int section;
    sweep_parameter *p; /* of the section [parameter NAME] */
    sweep_target *target;
    const char *unit; /* of its numbers, as far as is known */
    unsigned steps;   /* of its range; 0: none */
    bool law;         /* its values have been said */
    unsigned begun;   /* line of its section */
    bool swept; /* there was a section [sweep] */
    bool model_said, points_said, most_said;
    char seen[32][32]; /* keys of this section */
    size_t seen_count;
} reading;

static bool no_memory(sweep *s)
{
    return sweep_says(s, "no memory for the sweep");
}

/* A path as the file means it: beside the file. */
static char *beside(const sweep *s, const char *path)
{
    const char *slash = *path == '/' ? NULL : strrchr(s->path, '/');
    const size_t folder = slash ? (size_t)(slash - s->path) + 1 : 0;
    char *whole = (char *)malloc(folder + strlen(path) + 1);
    if (!whole) return NULL;
    memcpy(whole, s->path, folder);
    strcpy(whole + folder, path);
    return whole;
}

/* Reads a quantity that has no error. */
static bool read_exact(reading *in, const char *base, double *value, const char **found)
{
    const char *from = in->r.at;
    const unsigned errors = in->r.errors;
    if (!simkit_reader_quantity(&in->r, base, value, found)) return false;
    return in->r.errors == errors ||
           simkit_reader_error(&in->r, from, "an error after '+-' is for a parameter that varies: normal = VALUE +- ERROR");
}

/*=============================================================================
 * MARK: - >>models
 *===========================================================================*/
static bool model_right(sweep *s, const sweep_model *m)
{
    if (!m->run || !m->results || m->result_count == 0 || (m->parameter_count > 0 && !m->parameters))
        return sweep_says(s, "model '%s' has no run(), no results, or no parameters where it says that it has",
                          m->name ? m->name : "");
    for (size_t i = 0; i < m->parameter_count + m->result_count; ++i) {
        const sweep_quantity *q = i < m->parameter_count ? &m->parameters[i] : &m->results[i - m->parameter_count];
        static const char *const units[] = { "s", "1/s", "B", "B/s", "flop/s", "1" };
        bool known = false;
        for (size_t k = 0; k < sizeof units / sizeof *units; ++k)
            known = known || (q->unit && strcmp(q->unit, units[k]) == 0);
        if (!q->name || strlen(q->name) > 31 ||
            strspn(q->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != strlen(q->name) ||
            !*q->name)
            return sweep_says(s, "model '%s': '%s' is no name of letters, digits, _ and -, of at most 31", m->name,
                              q->name ? q->name : "");
        if (!known)
            return sweep_says(s, "model '%s': '%s' has the unit '%s', expected s, 1/s, B, B/s, flop/s or 1", m->name,
                              q->name, q->unit ? q->unit : "");
    }
    return true;
}

static bool open_object(reading *in, const char *name, const char *from)
{
    sweep *s = in->s;
    char *path = beside(s, name);
    if (!path) return no_memory(s);
    s->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const void *symbol = s->object ? dlsym(s->object, "sweep_export") : NULL;
    const char *error = symbol ? NULL : dlerror();
    if (!symbol)
        simkit_reader_error(&in->r, from, "%.200s",
                            s->object ? "it has no `const sweep_model sweep_export`"
                            : error   ? error
                                      : path);
    free(path);
    s->model = (const sweep_model *)symbol;
    return symbol != NULL;
}

static bool read_model(reading *in)
{
    sweep *s = in->s;
    char name[256], list[200] = "";
    const char *from = in->r.at;
    if (!simkit_reader_text(&in->r, name, sizeof name)) return false;
    in->model_said = true;
    if (strchr(name, '/')) return open_object(in, name, from) && model_right(s, s->model);
    for (size_t i = 0; i < in->desc->count; ++i) {
        if (strcmp(in->desc->models[i].name, name) == 0) s->model = &in->desc->models[i];
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", in->desc->models[i].name);
    }
    return s->model ? model_right(s, s->model)
                    : simkit_reader_error(&in->r, from,
                                          "there is no model '%s', only %s and shared objects such as ./mine.so", name,
                                          list);
}

static size_t quantity_of(const sweep_quantity *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; ++i)
        if (strcmp(list[i].name, name) == 0) return i;
    return SIZE_MAX;
}

/* Reads the name of one of several quantities. */
static bool read_quantity_name(reading *in, const sweep_quantity *list, size_t count, const char *what, size_t *index)
{
    char name[32], all[160] = "";
    const char *from = in->r.at;
    if (!simkit_reader_word(&in->r, name, what)) return false;
    *index = quantity_of(list, count, name);
    if (*index != SIZE_MAX) return true;
    for (size_t i = 0; i < count && strlen(all) + 1 < sizeof all; ++i)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", list[i].name);
    return simkit_reader_error(&in->r, from, "model '%s' has no %s '%s', only %s", in->s->model->name, what, name, all);
}

static bool read_result(reading *in, size_t *index)
{
    return read_quantity_name(in, in->s->model->results, in->s->model->result_count, "result", index);
}

/* Reads the name of a parameter of the sweep. */
static bool read_parameter(reading *in, size_t *index)
{
    char name[32];
    const char *from = in->r.at;
    if (!simkit_reader_word(&in->r, name, "a parameter")) return false;
    for (*index = 0; *index < in->s->parameters; ++*index)
        if (strcmp(in->s->parameter[*index].name, name) == 0) return true;
    return simkit_reader_error(&in->r, from, "there is no section [parameter %s] above", name);
}

/* The number of a word of "equal,maxmin"; SIZE_MAX: it has none. */
static size_t word_of(const char *words, const char *word)
{
    const size_t length = strlen(word);
    size_t index = 0;
    for (const char *c = words; *c; ++index) {
        const size_t here = strcspn(c, ",");
        if (here == length && memcmp(c, word, length) == 0) return index;
        c += here + (c[here] == ',');
    }
    return SIZE_MAX;
}

/* Reads the value of a parameter of the model. */
static bool read_model_value(reading *in, const sweep_quantity *q, double *value, char word[32])
{
    const char *from = in->r.at;
    if (!q->words) return read_exact(in, q->unit, value, NULL);
    if (!simkit_reader_word(&in->r, word, q->words)) return false;
    const size_t index = word_of(q->words, word);
    *value = (double)index;
    return index != SIZE_MAX ||
           simkit_reader_error(&in->r, from, "'%s' is unknown, expected one of %s", word, q->words);
}

/*=============================================================================
 * MARK: - >>sections
 *===========================================================================*/
static bool read_count(reading *in, double most, size_t *count)
{
    const char *from = in->r.at;
    double value = 0;
    if (!read_exact(in, "1", &value, NULL)) return false;
    if (!(value >= 1 && value <= most) || value > floor(value))
        return simkit_reader_error(&in->r, from, "expected a whole number from 1 to %.0f", most);
    *count = (size_t)value;
    return true;
}

static bool read_sweep_key(reading *in, const char *from, const char *key)
{
    static const char *const designs[] = { "factorial", "latin", "sobol", "saltelli" };
    sweep *s = in->s;
    char text[512];
    size_t index = 0;
    if (strcmp(key, "name") == 0) return simkit_reader_text(&in->r, s->name, sizeof s->name);
    if (strcmp(key, "model") == 0) return read_model(in);
    if (strcmp(key, "machine") == 0 || strcmp(key, "input") == 0) {
        char **path = *key == 'm' ? &s->machine_path : &s->input;
        if (!simkit_reader_text(&in->r, text, sizeof text)) return false;
        return (*path = beside(s, text)) != NULL || no_memory(s);
    }
    if (strcmp(key, "design") == 0) {
        if (!simkit_reader_choice(&in->r, designs, 4, &index)) return false;
        s->design = (sweep_design)index;
        return true;
    }
    if (strcmp(key, "points") == 0) return in->points_said = read_count(in, 4e9, &s->base);
    if (strcmp(key, "seed") == 0) {
        const char *number = in->r.at;
        double value = 0;
        if (!read_exact(in, "1", &value, NULL)) return false;
        if (!(value <= 1e15) || value > floor(value))
            return simkit_reader_error(&in->r, number, "expected a whole number from 0 to 1e15");
        s->shift = (uint64_t)value;
        return true;
    }
    if (strcmp(key, "seeds") == 0) {
        if (!read_count(in, 1e6, &s->seeds)) return false;
        s->most = s->seeds;
        if (!simkit_reader_accept(&in->r, ',')) return true;
        in->most_said = true;
        return read_count(in, 1e6, &s->most) &&
               (s->most >= s->seeds ||
                simkit_reader_error(&in->r, from, "the second number of seeds is less than the first"));
    }
    if (strcmp(key, "interval") == 0) {
        if (!read_exact(in, "1", &s->interval, NULL)) return false;
        return (s->interval > 0 && s->interval < 1) ||
               simkit_reader_error(&in->r, from, "expected a half-width between 0 and 1, such as 2 %% or 0.02");
    }
    if (strcmp(key, "result") == 0)
        return s->model ? read_result(in, &s->watched)
                        : simkit_reader_error(&in->r, from, "'model' must come before 'result'");
    return simkit_reader_error(&in->r, from,
                               "section [sweep] has no key '%s', only name, model, machine, input, design, points, "
                               "seed, seeds, interval, result",
                               key);
}

static bool read_set_key(reading *in, const char *from, const char *key)
{
    sweep *s = in->s;
    char word[32];
    const size_t index = quantity_of(s->model->parameters, s->model->parameter_count, key);
    if (index == SIZE_MAX) {
        in->r.at = from;
        return read_quantity_name(in, s->model->parameters, s->model->parameter_count, "parameter", &(size_t){ 0 });
    }
    for (size_t i = 0; i < s->parameters; ++i)
        if (s->target[i].model == index)
            return simkit_reader_error(&in->r, from, "'%s' has a section [parameter %s], too", key, key);
    if (!isnan(s->set[index])) return simkit_reader_error(&in->r, from, "'%s' is set twice", key);
    return read_model_value(in, &s->model->parameters[index], &s->set[index], word);
}

static bool read_place(reading *in)
{
    sweep_target *t = in->target;
    const char *from = in->r.at;
    size_t length = 0;
    if (!simkit_reader_accept(&in->r, '['))
        return simkit_reader_error(&in->r, from, "expected a place in the machine file, such as [node] bandwidth");
    if (t->places == SWEEP_PLACES) return simkit_reader_error(&in->r, from, "more than %d places", SWEEP_PLACES);
    sweep_place *place = &t->place[t->places++];
    for (bool first = true; in->r.at < in->r.end && *in->r.at != ']'; first = false) {
        char word[32];
        if (!simkit_reader_word(&in->r, word, "a name in [ ]")) return false;
        length +=
            (size_t)snprintf(place->section + length, sizeof place->section - length, "%s%s", first ? "" : " ", word);
        if (length >= sizeof place->section)
            return simkit_reader_error(&in->r, from, "the name of the section is too long");
        simkit_reader_accept(&in->r, ' ');
    }
    return (simkit_reader_accept(&in->r, ']') || simkit_reader_error(&in->r, in->r.at, "expected ']'")) &&
           simkit_reader_word(&in->r, place->key, "a key of this section");
}

/* Reads the next number of the parameter; all have the same base unit. */
static bool read_number(reading *in, const char *base, double *value)
{
    const char *found = "1";
    if (!read_exact(in, base ? base : in->unit, value, &found)) return false;
    if (!base && !in->unit) in->unit = found;
    return true;
}

/* Reads mean and deviation as `VALUE +- ERROR`; `*found`: there was an error. Parameters are independent of each other. */
static bool read_error(reading *in, double number[2], bool *found)
{
    const char *from = in->r.at, *unit = "1";
    const unsigned errors = in->r.errors;
    if (!simkit_reader_quantity(&in->r, in->unit, &number[0], &unit)) return false;
    *found = in->r.errors > errors;
    if (!in->unit) in->unit = unit;
    if (!*found) return true;
    number[1] = in->r.deviation;
    const char *source = (const char *)memchr(from, '@', (size_t)(in->r.at - from));
    return !source || simkit_reader_error(&in->r, source,
                                          "errors with a source are correlated, and parameters are not: expected none, or the "
                                          "error in the machine file, and a parameter with 'draws'");
}

static bool add_value(reading *in, double value, const char *word)
{
    sweep_parameter *p = in->p;
    if ((p->count & (p->count - 1)) == 0) { /* 0 or a power of two: the arrays are full */
        const size_t space = p->count > 0 ? 2 * p->count : 1;
        double *values = (double *)realloc(p->values, space * sizeof *values);
        if (!values) return no_memory(in->s);
        p->values = values;
        char(*words)[32] = word ? (char(*)[32])realloc(p->words, space * sizeof *words) : NULL;
        if (word && !words) return no_memory(in->s);
        p->words = words;
    }
    if (word) {
        memset(p->words[p->count], 0, sizeof p->words[0]);
        strcpy(p->words[p->count], word);
    }
    p->values[p->count++] = value;
    return true;
}

static bool read_values(reading *in)
{
    sweep_parameter *p = in->p;
    const sweep_quantity *q = in->target->model == SIZE_MAX ? NULL : &in->s->model->parameters[in->target->model];
    do {
        const char *from = in->r.at;
        char word[32] = "";
        double value = (double)p->count;
        const bool is_word = q ? q->words != NULL : from < in->r.end && (isalpha((unsigned char)*from) != 0);
        if (p->count > 0 && is_word != (p->words != NULL))
            return simkit_reader_error(&in->r, from, "words and numbers in one list");
        if (q         ? !read_model_value(in, q, &value, word)
            : is_word ? !simkit_reader_word(&in->r, word, "a word")
                      : !read_number(in, NULL, &value))
            return false;
        if (!is_word) value = sweep_round(value);
        for (size_t i = 0; i < p->count; ++i)
            if (p->words ? strcmp(p->words[i], word) == 0 : !(p->values[i] < value || p->values[i] > value))
                return simkit_reader_error(&in->r, from, "a value is in the list twice");
        if (!add_value(in, value, is_word ? word : NULL)) return false;
    } while (simkit_reader_accept(&in->r, ','));
    return true;
}

/* Reads the numbers of a law. */
static bool read_law(reading *in, sweep_law law, const char *from)
{
    static const int counts[] = { 0, 2, 2, 2, 2, 1, 3 };
    sweep_parameter *p = in->p;
    double *n = p->number;
    p->law = law;
    bool whole = false; /* one quantity has both numbers of a normal distribution */
    if (law == SWEEP_NORMAL && !read_error(in, n, &whole)) return false;
    for (int i = law == SWEEP_NORMAL; i < counts[law] && !whole; ++i) {
        if (i > 0 && !simkit_reader_accept(&in->r, ','))
            return simkit_reader_error(&in->r, in->r.at, "expected ',' and %s number", i == 1 ? "a second" : "a third");
        if (!read_number(in, law == SWEEP_LOG_NORMAL && i == 1 ? "1" : in->unit, &n[i])) return false;
    }
    const bool right = law == SWEEP_LINEAR        ? n[1] > n[0]
                       : law == SWEEP_LOGARITHMIC ? n[0] > 0 && n[1] > n[0]
                       : law == SWEEP_NORMAL      ? n[1] > 0
                       : law == SWEEP_LOG_NORMAL  ? n[0] > 0 && n[1] > 1
                       : law == SWEEP_EXPONENTIAL ? n[0] > 0
                                                  : n[0] <= n[1] && n[1] <= n[2] && n[0] < n[2];
    static const char *const expected[] = { "",
                                            "two numbers, the first the smaller one",
                                            "two numbers > 0, the first the smaller one",
                                            "a mean and a standard deviation > 0, as 58 us, 2 us or 58 us +- 2 us",
                                            "a median > 0 and a factor > 1",
                                            "a mean > 0",
                                            "minimum, most likely value and maximum, ascending" };
    return right || simkit_reader_error(&in->r, from, "expected %s", expected[law]);
}

/* Draws 1, 2, ... of the values in the machine file that have an error. */
static bool read_draws(reading *in, const char *from)
{
    size_t count = 0;
    if (in->target->model != SIZE_MAX)
        return simkit_reader_error(&in->r, from,
                                   "'%s' is a parameter of the model: draws of the machine file need another name", in->p->name);
    if (in->target->places > 0 || in->law)
        return simkit_reader_error(&in->r, from, "'%s' has its values already, or sets a number: expected 'draws' alone",
                                   in->p->name);
    for (size_t i = 0; i < in->s->parameters; ++i)
        if (in->s->parameter[i].draws)
            return simkit_reader_error(&in->r, from, "'%s' draws the values of the machine file already", in->s->parameter[i].name);
    if (!read_count(in, 10000, &count)) return false;
    in->law = in->p->draws = true;
    in->unit = "1";
    for (size_t i = 1; i <= count; ++i)
        if (!add_value(in, (double)i, NULL)) return false;
    return true;
}

static bool read_parameter_key(reading *in, const char *from, const char *key)
{
    static const char *const laws[] = { "values",     "linear",      "logarithmic", "normal",
                                        "log-normal", "exponential", "triangular" };
    if (strcmp(key, "sets") == 0 || strcmp(key, "scales") == 0) {
        if (in->target->places > 0) return simkit_reader_error(&in->r, from, "there is a 'sets' or 'scales' already");
        if (in->target->model != SIZE_MAX)
            return simkit_reader_error(
                &in->r, from,
                "'%s' is a parameter of the model: it cannot change the machine file as well, so give it another name",
                in->p->name);
        if (in->p->draws) return simkit_reader_error(&in->r, from, "'%s' draws all values that have an error", in->p->name);
        if (in->law) return simkit_reader_error(&in->r, from, "say '%s' before the values", key);
        in->target->scales = key[1] == 'c';
        if (in->target->scales) in->unit = "1";
        do
            if (!read_place(in)) return false;
        while (simkit_reader_accept(&in->r, ','));
        return true;
    }
    if (strcmp(key, "draws") == 0) return read_draws(in, from);
    if (strcmp(key, "steps") == 0) return simkit_reader_integer(&in->r, &in->steps);
    if (strcmp(key, "whole") == 0) {
        static const char *const words[] = { "no", "yes" };
        size_t index = 0;
        if (!simkit_reader_choice(&in->r, words, 2, &index)) return false;
        in->p->whole = index == 1;
        return true;
    }
    for (int law = 0; law < 7; ++law) {
        if (strcmp(key, laws[law]) != 0) continue;
        if (in->law) return simkit_reader_error(&in->r, from, "'%s' has its values already", in->p->name);
        if (in->target->model == SIZE_MAX && in->target->places == 0)
            return simkit_reader_error(&in->r, from,
                                       "model '%s' has no parameter '%s': say before the values which numbers of the "
                                       "machine file it 'sets' or 'scales'",
                                       in->s->model->name, in->p->name);
        if (law > 0 && in->target->model != SIZE_MAX && in->s->model->parameters[in->target->model].words)
            return simkit_reader_error(&in->r, from, "'%s' is a word, expected values = WORD, WORD", in->p->name);
        in->law = true;
        return law == SWEEP_VALUES ? read_values(in) : read_law(in, (sweep_law)law, in->r.at);
    }
    return simkit_reader_error(&in->r, from,
                               "section [parameter] has no key '%s', only sets, scales, draws, values, linear, "
                               "logarithmic, normal, log-normal, exponential, triangular, steps, whole",
                               key);
}

static bool read_picture_key(reading *in, const char *from, const char *key)
{
    sweep_picture *p = &in->s->picture[in->s->pictures - 1];
    if (strcmp(key, "title") == 0) return simkit_reader_text(&in->r, p->title, sizeof p->title);
    if (strcmp(key, "result") == 0) return read_result(in, &p->result);
    if (strcmp(key, "x") == 0 && p->kind != SWEEP_TORNADO) return read_parameter(in, &p->x);
    if (strcmp(key, "y") == 0 && p->kind == SWEEP_MAP) return read_parameter(in, &p->y);
    if (strcmp(key, "lines") == 0 && p->kind == SWEEP_LINES) return read_parameter(in, &p->y);
    return simkit_reader_error(&in->r, from, "there is no key '%s' here, only title, result%s", key,
                               p->kind == SWEEP_LINES ? ", x, lines"
                               : p->kind == SWEEP_MAP ? ", x, y"
                                                      : "");
}

static bool read_choice_key(reading *in, const char *from, const char *key)
{
    sweep *s = in->s;
    sweep_choice *c = &s->choice[s->choices - 1];
    char word[32];
    if (strcmp(key, "parameter") == 0) return read_parameter(in, &c->parameter);
    if (strcmp(key, "result") == 0) return read_result(in, &c->result);
    if (strcmp(key, "chosen") != 0)
        return simkit_reader_error(&in->r, from, "section [choice] has no key '%s', only parameter, chosen, result",
                                   key);
    if (c->parameter == SIZE_MAX) return simkit_reader_error(&in->r, from, "'parameter' must come first");
    const sweep_parameter *p = &s->parameter[c->parameter];
    const char *at = in->r.at;
    if (p->words) {
        if (!simkit_reader_word(&in->r, word, "a word")) return false;
        for (size_t i = 0; i < p->count; ++i)
            if (strcmp(p->words[i], word) == 0) c->chosen = p->values[i];
    } else {
        double value = 0;
        if (!read_exact(in, p->unit, &value, NULL)) return false;
        for (size_t i = 0; i < p->count; ++i)
            if (fabs(p->values[i] - value) <= 1e-11 * fabs(value)) c->chosen = p->values[i];
    }
    return !isnan(c->chosen) || simkit_reader_error(&in->r, at, "parameter '%s' does not have this value", p->name);
}

/* The values of a range or a law with steps. */
static bool make_steps(reading *in)
{
    sweep_parameter *p = in->p;
    if (in->steps < 2 && p->law <= SWEEP_LOGARITHMIC)
        return simkit_reader_error(&in->r, NULL, "section [parameter %s] in line %u: a range has two steps or more",
                                   p->name, in->begun);
    for (unsigned i = 0; i < in->steps; ++i) {
        const double part = p->law <= SWEEP_LOGARITHMIC ? (double)i / (in->steps - 1) : (i + 0.5) / in->steps;
        double value =
            p->law == SWEEP_LINEAR ? p->number[0] + (p->number[1] - p->number[0]) * part : sweep_law_quantile(p, part);
        if (p->law <= SWEEP_LOGARITHMIC && i + 1 == in->steps) value = p->number[1];
        if (p->whole) value = floor(value + 0.5);
        value = sweep_round(value);
        if (p->count > 0 && !(value > p->values[p->count - 1])) continue; /* whole numbers that are the same */
        if (!add_value(in, value, NULL)) return false;
    }
    return true;
}

/* The end of a section [parameter NAME]. */
static bool end_parameter(reading *in)
{
    sweep_parameter *p = in->p;
    if (!p) return true;
    in->p = NULL;
    if (!in->law) {
        return simkit_reader_error(&in->r, NULL, "section [parameter %s] in line %u has no values", p->name, in->begun);
    }
    if (in->steps > 0 && p->law == SWEEP_VALUES)
        return simkit_reader_error(&in->r, NULL, "section [parameter %s] in line %u: a list has no steps", p->name,
                                   in->begun);
    if (p->whole && p->law == SWEEP_VALUES)
        return simkit_reader_error(&in->r, NULL,
                                   "section [parameter %s] in line %u: a list is not rounded, so 'whole' has no effect",
                                   p->name, in->begun);
    p->unit = p->words ? "1" : in->unit ? in->unit : "1";
    in->p = p;
    const bool right = in->steps == 0 || make_steps(in);
    in->p = NULL;
    return right;
}

static bool begin_parameter(reading *in, const char *name, const char *from)
{
    static const char *const taken[] = { "point", "seed", "failed", "check" };
    sweep *s = in->s;
    if (s->parameters == SWEEP_PARAMETERS)
        return simkit_reader_error(&in->r, from, "more than %d parameters", SWEEP_PARAMETERS);
    for (size_t i = 0; i < s->parameters; ++i)
        if (strcmp(s->parameter[i].name, name) == 0)
            return simkit_reader_error(&in->r, from, "there are two sections [parameter %s]", name);
    for (size_t i = 0; i < 4; ++i)
        if (strcmp(taken[i], name) == 0)
            return simkit_reader_error(&in->r, from, "'%s' is a column of every CSV of results: choose another name",
                                       name);
    if (quantity_of(s->model->results, s->model->result_count, name) != SIZE_MAX)
        return simkit_reader_error(&in->r, from, "'%s' is a result of the model: choose another name", name);
    in->p = &s->parameter[s->parameters];
    in->target = &s->target[s->parameters++];
    strcpy(in->p->name, name);
    in->target->model = quantity_of(s->model->parameters, s->model->parameter_count, name);
    if (in->target->model != SIZE_MAX && !isnan(s->set[in->target->model]))
        return simkit_reader_error(&in->r, from, "'%s' is in [set], too", name);
    in->unit = in->target->model == SIZE_MAX ? NULL : s->model->parameters[in->target->model].unit;
    in->law = false;
    in->steps = 0;
    in->begun = in->r.line;
    return true;
}

static bool begin_section(reading *in)
{
    static const char *const sections[] = { "sweep", "set", "parameter", "lines", "map", "tornado", "choice" };
    sweep *s = in->s;
    char name[32] = "";
    size_t kind = 0;
    in->seen_count = 0;
    if (!end_parameter(in)) return false;
    simkit_reader_accept(&in->r, '[');
    const char *from = in->r.at;
    if (!simkit_reader_choice(&in->r, sections, 7, &kind)) return false;
    simkit_reader_accept(&in->r, ' ');
    if (in->r.at < in->r.end && *in->r.at != ']' && !simkit_reader_word(&in->r, name, "a name")) return false;
    if (!simkit_reader_accept(&in->r, ']')) return simkit_reader_error(&in->r, in->r.at, "expected ']'");
    if (!simkit_reader_end(&in->r)) return false;
    if (kind == 0 && in->swept) return simkit_reader_error(&in->r, from, "there are two sections [sweep]");
    if (kind == 0) in->swept = true;
    in->section = kind == 0 ? SWEEP : kind == 1 ? SET : kind == 2 ? PARAMETER : kind == 6 ? CHOICE : PICTURE;
    if (kind > 0 && !s->model)
        return simkit_reader_error(&in->r, from, "a section [sweep] that says the 'model' comes first");
    if (kind == 2 && !*name)
        return simkit_reader_error(&in->r, from, "the parameter has no name, as in [parameter bandwidth]");
    if (kind == 2) return begin_parameter(in, name, from);
    if (kind > 0 && !s->set) return no_memory(s);
    if (kind >= 3 && kind <= 5) {
        if (s->pictures == SWEEP_PICTURES)
            return simkit_reader_error(&in->r, from, "more than %d pictures", SWEEP_PICTURES);
        sweep_picture *p = &s->picture[s->pictures++];
        p->kind = kind == 3 ? SWEEP_LINES : kind == 4 ? SWEEP_MAP : SWEEP_TORNADO;
        strcpy(p->name, *name ? name : sections[kind]);
        for (size_t i = 0; i + 1 < s->pictures; ++i)
            if (strcmp(s->picture[i].name, p->name) == 0)
                return simkit_reader_error(&in->r, from, "two pictures are called '%s': name them, as in [%s NAME]",
                                           p->name, sections[kind]);
        p->result = s->watched;
        p->x = p->y = SIZE_MAX;
    }
    if (kind == 6) {
        if (s->choices == SWEEP_CHOICES)
            return simkit_reader_error(&in->r, from, "more than %d choices", SWEEP_CHOICES);
        s->choice[s->choices++] = (sweep_choice){ SIZE_MAX, (double)NAN, s->watched };
    }
    return true;
}

static bool read_key(reading *in)
{
    sweep *s = in->s;
    char key[32];
    const char *from = in->r.at;
    if (!simkit_reader_word(&in->r, key, "a key, a [section] or a # comment")) return false;
    if (!simkit_reader_accept(&in->r, '='))
        return simkit_reader_error(&in->r, in->r.at, "expected '=' after '%s'", key);
    for (size_t i = 0; i < in->seen_count; ++i)
        if (strcmp(in->seen[i], key) == 0)
            return simkit_reader_error(&in->r, from, "'%s' appears twice in this section", key);
    if (in->seen_count < 32) strcpy(in->seen[in->seen_count++], key);
    bool read = false;
    switch (in->section) {
    case SWEEP: read = read_sweep_key(in, from, key); break;
    case SET: read = read_set_key(in, from, key); break;
    case PARAMETER: read = read_parameter_key(in, from, key); break;
    case PICTURE: read = read_picture_key(in, from, key); break;
    case CHOICE: read = read_choice_key(in, from, key); break;
    default: return simkit_reader_error(&in->r, from, "key '%s' is before the first [section]", key);
    }
    if (read && s->model && !s->set) {
        s->set = (double *)malloc((s->model->parameter_count + 1) * sizeof *s->set);
        if (!s->set) return no_memory(s);
        for (size_t i = 0; i < s->model->parameter_count; ++i) s->set[i] = (double)NAN;
    }
    return read && simkit_reader_end(&in->r);
}

/*=============================================================================
 * MARK: - >>the whole
 *===========================================================================*/
static void hash_text(sweep *s, const char *text)
{
    s->context = sweep_hash(s->context, text, strlen(text) + 1);
}

/* What every model needs to know, and what is not in the columns of the results. */
static bool finish_values(sweep *s)
{
    const sweep_model *m = s->model;
    char number[40];
    hash_text(s, m->name);
    snprintf(number, sizeof number, "%u", m->version);
    hash_text(s, number);
    for (size_t i = 0; i < m->parameter_count; ++i) {
        bool varies = false;
        for (size_t k = 0; k < s->parameters; ++k) varies = varies || s->target[k].model == i;
        if (varies) continue;
        if (isnan(s->set[i])) s->set[i] = m->parameters[i].value;
        if (isnan(s->set[i]))
            return sweep_says(s, "%s: model '%s' needs '%s': a line in [set], or a section [parameter %s]", s->path,
                              m->name, m->parameters[i].name, m->parameters[i].name);
        uint64_t bits;
        memcpy(&bits, &s->set[i], sizeof bits);
        snprintf(number, sizeof number, "%016llx", (unsigned long long)bits);
        hash_text(s, m->parameters[i].name);
        hash_text(s, number);
    }
    for (size_t i = 0; i < s->parameters; ++i) {
        if (s->parameter[i].draws) hash_text(s, "draws");
        for (size_t k = 0; k < s->target[i].places; ++k) {
            hash_text(s, s->target[i].scales ? "scales" : "sets");
            hash_text(s, s->target[i].place[k].section);
            hash_text(s, s->target[i].place[k].key);
        }
    }
    return true;
}

static bool finish_design(sweep *s, const reading *in)
{
    double points = 1;
    if (s->parameters == 0) return sweep_says(s, "%s: nothing varies: it has no section [parameter NAME]", s->path);
    if (s->design == SWEEP_FACTORIAL) {
        if (in->points_said)
            return sweep_says(s, "%s: 'points' are for the designs latin, sobol and saltelli", s->path);
        for (size_t i = 0; i < s->parameters; ++i) {
            if (s->parameter[i].count == 0)
                return sweep_says(s,
                                  "%s: parameter '%s' can have any value, so a factorial design needs its 'steps'; "
                                  "designs latin, sobol and saltelli do not",
                                  s->path, s->parameter[i].name);
            points *= (double)s->parameter[i].count;
        }
        s->base = (size_t)fmin(points, 1e18);
    } else {
        if (!in->points_said) return sweep_says(s, "%s: this design needs the number of 'points' in [sweep]", s->path);
        points = (double)s->base * (s->design == SWEEP_SALTELLI ? (double)s->parameters + 2 : 1);
    }
    if (points > 4e9) return sweep_says(s, "%s: %.3g points are more than 4e9", s->path, points);
    s->points = (size_t)points;
    if (s->interval > 0 && !in->most_said) {
        if (s->seeds < 2) s->seeds = 5;
        s->most = s->seeds > 1000 ? s->seeds : 1000;
    }
    if (s->interval <= 0 && s->most > s->seeds)
        return sweep_says(s, "%s: a second number of seeds is for an 'interval' to be reached", s->path);
    if (s->interval > 0 && s->seeds < 2)
        return sweep_says(s, "%s: an interval needs two seeds or more at first", s->path);
    if (points * (double)s->most > 1e12)
        return sweep_says(s, "%s: %.3g runs are more than 1e12", s->path, points * (double)s->most);
    return true;
}

static bool finish_pictures(sweep *s)
{
    for (size_t i = 0; i < s->pictures; ++i) {
        const sweep_picture *p = &s->picture[i];
        if (p->kind != SWEEP_TORNADO && p->x == SIZE_MAX)
            return sweep_says(s, "%s: picture '%s' needs an 'x'", s->path, p->name);
        if (p->kind == SWEEP_MAP && p->y == SIZE_MAX)
            return sweep_says(s, "%s: map '%s' needs a 'y'", s->path, p->name);
        if (p->y == p->x && p->x != SIZE_MAX)
            return sweep_says(s, "%s: picture '%s' has one parameter on both axes", s->path, p->name);
        if (p->kind == SWEEP_LINES && p->y != SIZE_MAX && s->parameter[p->y].count == 0)
            return sweep_says(s, "%s: picture '%s' has a line for each value of '%s', which can have any", s->path,
                              p->name, s->parameter[p->y].name);
    }
    for (size_t i = 0; i < s->choices; ++i) {
        if (s->choice[i].parameter == SIZE_MAX)
            return sweep_says(s, "%s: a section [choice] needs its 'parameter'", s->path);
        if (s->design != SWEEP_FACTORIAL)
            return sweep_says(
                s, "%s: a [choice] compares values under the same conditions, which takes a factorial design", s->path);
    }
    return true;
}

static bool check_machine(sweep *s)
{
    if (s->model->machine == SWEEP_NEEDS && !s->machine_path)
        return sweep_says(s, "%s: model '%s' needs a 'machine' in [sweep]", s->path, s->model->name);
    return s->model->machine != SWEEP_REFUSES || !s->machine_path ||
           sweep_says(s, "%s: model '%s' uses no machine file: its parameters say all that it needs, see --models",
                      s->path, s->model->name);
}

static bool hash_input(sweep *s)
{
    char chunk[65536];
    FILE *file = s->input ? fopen(s->input, "rb") : NULL;
    if (!s->input) return true;
    if (!s->model->open) return sweep_says(s, "%s: model '%s' reads no 'input'", s->path, s->model->name);
    if (!file) return sweep_says(s, "%s: %s", s->input, strerror(errno));
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;) s->context = sweep_hash(s->context, chunk, got);
    const bool failed = ferror(file) != 0;
    fclose(file);
    return !failed || sweep_says(s, "%s could not be read", s->input);
}

bool sweep_file_read(sweep *s, const sweep_desc *desc)
{
    sweep_text text = { 0 };
    const int error = sweep_text_read(&text, s->path);
    if (error != 0 || text.failed) {
        sweep_text_free(&text);
        return error != 0 ? sweep_says(s, "%s: %s", s->path, strerror(error)) : no_memory(s);
    }
    reading in = { .s = s, .desc = desc };
    s->seeds = s->most = 1;
    simkit_reader_init(&in.r, text.text, text.length, s->path);
    bool right = true;
    while (right && simkit_reader_line(&in.r)) right = *in.r.at == '[' ? begin_section(&in) : read_key(&in);
    if (right) right = end_parameter(&in);
    if (!right && !*s->why) sweep_says(s, "%s", in.r.error.text);
    sweep_text_free(&text);
    if (!right) return false;
    if (!s->model) return sweep_says(s, "%s: there is no section [sweep] that says the 'model'", s->path);
    if (!s->set) return no_memory(s);
    return finish_values(s) && finish_design(s, &in) && finish_pictures(s) && check_machine(s) && hash_input(s);
}
