/* answers.c - what the results of a sweep say, as numbers and as tables */
#include "answers.h"
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*=============================================================================
 * MARK: - >>numbers as text
 *===========================================================================*/
answers_unit answers_unit_for(const char *base, double magnitude)
{
    static const struct {
        double factor;
        const char *prefix;
    } prefixes[] = { { 1e-9, "n" }, { 1e-6, "u" }, { 1e-3, "m" }, { 1, "" },    { 1e3, "k" },
                     { 1e6, "M" },  { 1e9, "G" },  { 1e12, "T" }, { 1e15, "P" } };
    const bool seconds = strcmp(base, "s") == 0,
               large = strcmp(base, "B") == 0 || strcmp(base, "B/s") == 0 || strcmp(base, "flop/s") == 0;
    answers_unit unit = { 1, "" };
    size_t i = 3;
    if (strcmp(base, "1") == 0) return unit;
    magnitude = fabs(magnitude);
    if (seconds && magnitude >= 9999.5 && magnitude < (double)INFINITY) {
        unit.factor = 3600;
        strcpy(unit.name, "h");
        return unit;
    }
    if (magnitude > 0 && magnitude < (double)INFINITY) {
        while (large && i < 8 && magnitude >= 999.95 * prefixes[i].factor) ++i;
        while (seconds && i > 0 && magnitude < 0.99995 * prefixes[i].factor) --i;
    }
    unit.factor = prefixes[i].factor;
    snprintf(unit.name, sizeof unit.name, "%s%.9s", prefixes[i].prefix, base);
    return unit;
}

void answers_digits(char text[ANSWERS_TEXT], double value, int digits)
{
    const double size = fabs(value);
    if (isnan(value))
        strcpy(text, "-");
    else if (size < 1e7 && size >= 1000 && log10(size) + 1 > digits - 0.5)
        snprintf(text, ANSWERS_TEXT, "%.0f", value); /* no exponent for 12345 */
    else
        snprintf(text, ANSWERS_TEXT, "%.*g", digits, value);
}

/* The same in a unit. */
static void write_in(char text[ANSWERS_TEXT], double value, const answers_unit *unit, int digits)
{
    answers_digits(text, value / unit->factor, digits);
}

static void quantity(char text[ANSWERS_TEXT], double value, const char *base, int digits)
{
    const answers_unit unit = answers_unit_for(base, value);
    write_in(text, value, &unit, digits);
    const size_t length = strlen(text);
    if (*unit.name && !isnan(value)) snprintf(text + length, ANSWERS_TEXT - length, " %s", unit.name);
}

void answers_quantity(char text[ANSWERS_TEXT], double value, const char *base)
{
    quantity(text, value, base, 4);
}

static bool same(double a, double b)
{
    return a <= b && a >= b;
}

void answers_value(char text[ANSWERS_TEXT], const sweep_parameter *p, double value)
{
    for (size_t i = 0; p->words && i < p->count; ++i)
        if (same(p->values[i], value)) {
            snprintf(text, ANSWERS_TEXT, "%s", p->words[i]);
            return;
        }
    quantity(text, value, p->unit, p->law == SWEEP_VALUES ? 6 : p->count > 0 ? 4 : 3);
}

/* "time [ms]", or "time". */
static void label(char *text, size_t size, const char *name, const answers_unit *unit)
{
    snprintf(text, size, *unit->name ? "%s [%s]" : "%s", name, unit->name);
}

/*=============================================================================
 * MARK: - >>classes
 *===========================================================================*/
static int ascending(const void *a, const void *b)
{
    const double *x = (const double *)a, *y = (const double *)b;
    return (*x > *y) - (*x < *y);
}

static size_t place_of(const double *sorted, size_t count, double value)
{
    size_t low = 0, high = count; /* the last that is not above it */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (sorted[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Classes of any value. Those of whole numbers may have the same bounds, which are dropped. */
static bool open_any(answers_classes *c, size_t any)
{
    const double most = (double)any, smallest = sweep_law_value(c->parameter, 1e-10);
    size_t begins = 0; /* of the last class */
    c->bound = (double *)malloc(any * sizeof *c->bound);
    c->middle = (double *)malloc(any * sizeof *c->middle);
    if (!c->bound || !c->middle) {
        answers_classes_close(c);
        return false;
    }
    for (size_t i = 1; i < any; ++i) {
        const double bound = sweep_law_value(c->parameter, (double)i / most);
        if (!(bound > (c->count > 0 ? c->bound[c->count - 1] : smallest))) continue;
        c->bound[c->count] = bound;
        c->middle[c->count++] = ((double)begins + (double)i) / 2 / most;
        begins = i;
    }
    c->middle[c->count++] = ((double)begins + most) / 2 / most;
    return true;
}

bool answers_classes_open(const sweep_parameter *p, size_t any, answers_classes *c)
{
    memset(c, 0, sizeof *c);
    c->parameter = p;
    if (p->count == 0) return open_any(c, any < ANSWERS_CLASSES_MOST ? any : ANSWERS_CLASSES_MOST);
    const size_t share = (p->count + ANSWERS_CLASSES_MOST - 1) / ANSWERS_CLASSES_MOST;
    c->count = (p->count + share - 1) / share;
    c->sorted = (double *)malloc(p->count * sizeof *c->sorted);
    c->rank = (size_t *)malloc(p->count * sizeof *c->rank);
    c->of_index = (size_t *)malloc(p->count * sizeof *c->of_index);
    if (!c->sorted || !c->rank || !c->of_index) {
        answers_classes_close(c);
        return false;
    }
    memcpy(c->sorted, p->values, p->count * sizeof *c->sorted);
    qsort(c->sorted, p->count, sizeof *c->sorted, ascending);
    for (size_t i = 0; i < p->count; ++i) {
        const size_t at = place_of(c->sorted, p->count, p->values[i]);
        c->of_index[i] = (p->words ? i : at) / share;
        c->rank[at] = c->of_index[i];
    }
    return true;
}

void answers_classes_close(answers_classes *c)
{
    free(c->bound);
    free(c->middle);
    free(c->sorted);
    free(c->rank);
    free(c->of_index);
    memset(c, 0, sizeof *c);
}

size_t answers_class_of(const answers_classes *c, double value)
{
    if (c->parameter->count > 0) return c->rank[place_of(c->sorted, c->parameter->count, value)];
    if (c->count == 1 || value < c->bound[0]) return 0;
    return 1 + place_of(c->bound, c->count - 1, value);
}

double answers_class_value(const answers_classes *c, size_t index)
{
    const sweep_parameter *p = c->parameter;
    size_t first = SIZE_MAX, last = 0;
    if (p->count == 0) {
        double value = sweep_law_value(p, c->middle[index]);
        if (p->whole && index + 1 < c->count && value >= c->bound[index])
            value = c->bound[index] - 1; /* no larger one is in it */
        return p->whole && index > 0 ? fmax(value, c->bound[index - 1]) : value;
    }
    if (p->words) {
        for (size_t i = 0; i < p->count; ++i)
            if (c->of_index[i] == index) return p->values[i];
        return (double)NAN;
    }
    for (size_t i = 0; i < p->count; ++i) {
        if (c->rank[i] != index) continue;
        if (first == SIZE_MAX) first = i;
        last = i;
    }
    return first == SIZE_MAX ? (double)NAN : c->sorted[first + (last - first) / 2];
}

/* How many equally likely classes: a multiple of ANSWERS_CLASSES, about the cube root of the points. What classes cannot see
 * falls with their square; the scatter of their means grows with their number. */
static size_t fine_classes(size_t points)
{
    size_t classes = ANSWERS_CLASSES;
    for (size_t next; (next = classes + ANSWERS_CLASSES) <= ANSWERS_CLASSES_MOST && next * next * next <= points;)
        classes = next;
    return classes;
}

/*=============================================================================
 * MARK: - >>points and runs
 *===========================================================================*/
simkit_interval answers_point(const sweep *s, size_t point, size_t result)
{
    return sweep_interval_of(s, point, result, sweep_seeds(s));
}

size_t answers_means(const sweep *s, size_t result, double *mean)
{
    const size_t points = sweep_points(s), seeds = sweep_seeds(s);
    size_t with = 0;
    for (size_t point = 0; point < points; ++point) {
        double sum = 0;
        size_t count = 0;
        for (size_t seed = 0; seed < seeds; ++seed) {
            const double value = sweep_found(s, point, seed, result);
            if (!isfinite(value)) continue;
            sum += value;
            ++count;
        }
        mean[point] = count > 0 ? sum / (double)count : (double)NAN;
        if (!isfinite(mean[point])) mean[point] = (double)NAN;
        if (!isnan(mean[point])) ++with;
    }
    return with;
}

/* The results of all runs; NaN if a run has none. */
typedef struct runs {
    const sweep *s;
    size_t result, seeds, count;
} runs;

static double run_of(const runs *r, size_t i)
{
    return r->seeds == 1 ? sweep_found(r->s, i, 0, r->result)
                         : sweep_found(r->s, i / r->seeds, i % r->seeds, r->result);
}

/* The bits of a number, so that larger numbers have larger bits. */
static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double number_of(uint64_t bits)
{
    double value;
    bits = bits >> 63 ? bits & ~(UINT64_C(1) << 63) : ~bits;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The number in place `place` of an ascending list of the runs; `next`: the one behind it. */
static double selected(const runs *r, size_t place, size_t *histogram, double *next)
{
    uint64_t known = 0;
    size_t below = 0;
    for (int shift = 48; shift >= 0; shift -= 16) {
        memset(histogram, 0, 65536 * sizeof *histogram);
        for (size_t i = 0; i < r->count; ++i) {
            const double value = run_of(r, i);
            const uint64_t bits = bits_of(value);
            if (isnan(value) || (shift < 48 && bits >> (shift + 16) != known)) continue;
            histogram[bits >> shift & 65535]++;
        }
        size_t at = 0;
        while (below + histogram[at] <= place) below += histogram[at++];
        known = known << 16 | at;
        if (shift == 0) below += histogram[at];
    }
    *next = number_of(known);
    if (below > place + 1) return *next; /* the same again */
    const double found = *next;
    *next = (double)INFINITY;
    for (size_t i = 0; i < r->count; ++i) {
        const double value = run_of(r, i);
        if (value > found && value < *next) *next = value;
    }
    return found;
}

bool answers_overall_of(const sweep *s, size_t result, answers_overall *all)
{
    const runs r = { s, result, sweep_seeds(s), sweep_points(s) * sweep_seeds(s) };
    const double nan = (double)NAN;
    double sum = 0, left = 0, squares = 0;
    *all = (answers_overall){ 0, nan, nan, (double)INFINITY, nan, -(double)INFINITY };
    for (size_t i = 0; i < r.count; ++i) {
        const double value = run_of(&r, i);
        if (isnan(value)) continue;
        all->runs++;
        sum += value;
        if (value < all->minimum) all->minimum = value;
        if (value > all->maximum) all->maximum = value;
    }
    if (all->runs == 0) {
        all->minimum = all->maximum = nan;
        return true;
    }
    const double count = (double)all->runs, mean = sum / count;
    for (size_t i = 0; i < r.count; ++i) {
        const double away = run_of(&r, i) - mean;
        if (isnan(away)) continue;
        left += away;
        squares += away * away;
    }
    all->mean = mean + left / count;
    if (all->runs > 1) all->deviation = sqrt(fmax(squares - left * left / count, 0) / (count - 1));
    size_t *histogram = (size_t *)malloc(65536 * sizeof *histogram);
    if (!histogram) return false;
    double next;
    all->median = selected(&r, (all->runs - 1) / 2, histogram, &next);
    if (all->runs % 2 == 0) all->median += (next - all->median) / 2;
    free(histogram);
    return true;
}

/*=============================================================================
 * MARK: - >>how sure
 *===========================================================================*/
bool answers_chosen(const sweep_parameter *p)
{
    return !p->draws && p->count > 0 && p->law <= SWEEP_LOGARITHMIC;
}

/* The combination of choices that a point has. */
static size_t combination_of(const sweep *s, size_t point)
{
    size_t parameters, combination = 0, weight = 1;
    const sweep_parameter *p = sweep_parameters(s, &parameters);
    for (size_t i = parameters; sweep_design_of(s) == SWEEP_FACTORIAL && i-- > 0; point /= p[i].count) {
        if (!answers_chosen(&p[i])) continue;
        combination += weight * (point % p[i].count);
        weight *= p[i].count;
    }
    return combination;
}

/* For which the model's own part is wider: at a point. */
static unsigned reasons_of(const sweep *s, const residuals *family, size_t point)
{
    const sweep_model *m = sweep_model_of(s);
    bool unsure = !s->machine_path || s->unsure;
    double value[SWEEP_PARAMETERS], nodes = 0;
    if (!family) return 0;
    sweep_values(s, point, value);
    for (size_t i = 0; i < s->parameters; ++i) /* what the file does not say, the sweep may */
        if (s->parameter[i].draws || (s->target[i].places > 0 && !answers_chosen(&s->parameter[i]))) unsure = false;
    for (size_t i = 0; i < m->parameter_count; ++i) {
        if (strcmp(m->parameters[i].name, "nodes") != 0) continue;
        nodes = s->set[i];
        for (size_t k = 0; k < s->parameters; ++k)
            if (s->target[k].model == i) nodes = value[k];
    }
    return interval_larger(family, nodes) | (unsure ? INTERVAL_UNSURE : 0);
}

/* True if there is an interval at all; and the number of combinations. */
static size_t combinations_of(const sweep *s, const residuals *family, char *none)
{
    size_t parameters, chosen = 0;
    double combinations = 1;
    const sweep_parameter *p = sweep_parameters(s, &parameters), *choice = NULL;
    *none = 0;
    for (size_t i = 0; i < parameters; ++i) {
        if (!answers_chosen(&p[i])) continue;
        ++chosen;
        choice = &p[i];
        combinations *= (double)p[i].count;
    }
    if (choice && sweep_design_of(s) != SWEEP_FACTORIAL)
        snprintf(none, SWEEP_WHY, "'%s' is a choice, and only a factorial design has all others with each",
                 choice->name);
    else if (combinations > ANSWERS_EXPECTED)
        snprintf(none, SWEEP_WHY, "there are %.0f combinations of choices, more than %d", combinations,
                 ANSWERS_EXPECTED);
    else if (chosen == parameters && sweep_seeds(s) == 1 && !family)
        snprintf(none, SWEEP_WHY,
                 "no parameter is uncertain, there is one seed, and the model was not compared with real runs");
    return *none ? 0 : (size_t)combinations;
}

/* Sorts the runs with the same choices, and finds their median, and their interval if all are > 0. */
static void expect(answers_expected *e, const residuals *family, double *run)
{
    double mean = 0, squares = 0;
    const size_t half = e->runs / 2;
    if (e->runs == 0) return;
    qsort(run, e->runs, sizeof *run, ascending);
    e->median = e->runs % 2 ? run[half] : run[half - 1] + (run[half] - run[half - 1]) / 2;
    if (!(run[0] > 0)) return;
    for (size_t i = 0; i < e->runs; ++i) mean += log(run[i]) / (double)e->runs;
    for (size_t i = 0; i < e->runs; ++i) squares += (log(run[i]) - mean) * (log(run[i]) - mean);
    e->next = interval_of(family, e->reasons, e->median, e->runs > 1 ? sqrt(squares / (double)(e->runs - 1)) : 0);
}

bool answers_expected_of(const sweep *s, size_t result, answers_expected *expected, size_t *count, char *none)
{
    const char *name = sweep_model_of(s)->family;
    const residuals *family = name ? interval_family(name) : NULL;
    const size_t points = sweep_points(s), seeds = sweep_seeds(s);
    size_t at[ANSWERS_EXPECTED + 1] = { 0 };
    *count = combinations_of(s, family, none);
    if (*count == 0) return true;
    double *const run = (double *)malloc((points * seeds + 1) * sizeof *run);
    if (!run) return false;
    for (size_t i = 0; i < *count; ++i)
        expected[i] = (answers_expected){ SIZE_MAX, 0, (double)NAN, interval_none(), 0 };
    for (int pass = 0; pass < 2; ++pass) /* how many, then which */
        for (size_t point = 0; point < points; ++point) {
            const size_t i = combination_of(s, point);
            answers_expected *e = &expected[i];
            if (e->point == SIZE_MAX) e->point = point, e->reasons = reasons_of(s, family, point);
            for (size_t seed = 0; seed < seeds; ++seed) {
                const double value = sweep_found(s, point, seed, result);
                if (!isfinite(value)) continue;
                if (pass == 0)
                    ++at[i + 1];
                else
                    run[at[i] + e->runs++] = value;
            }
            if (pass == 0 && point + 1 == points)
                for (size_t k = 0; k < *count; ++k) at[k + 1] += at[k];
        }
    for (size_t i = 0; i < *count; ++i) expect(&expected[i], family, run + at[i]);
    free(run);
    return true;
}

/*=============================================================================
 * MARK: - >>effects
 *===========================================================================*/
static simkit_interval unknown(size_t count)
{
    return (simkit_interval){ (double)NAN, (double)NAN, (double)NAN, count };
}

static bool varies(const answers *a)
{
    return a->variance > 0 && sqrt(a->variance) > 1e-12 * fabs(a->overall);
}

/* Sums of one parameter, less the overall mean, by fine class. */
typedef struct sums {
    answers_classes classes;
    double *sum;   /* sum[classes.count] */
    size_t *count; /* count[classes.count] */
} sums;

static void close_sums(sums *sum, size_t count)
{
    for (size_t i = 0; sum && i < count; ++i) {
        answers_classes_close(&sum[i].classes);
        free(sum[i].sum);
        free(sum[i].count);
    }
    free(sum);
}

static sums *open_sums(const answers *a, const sweep_parameter *p)
{
    sums *all = (sums *)calloc(a->parameters, sizeof *all);
    for (size_t i = 0; all && i < a->parameters; ++i) {
        if (answers_classes_open(&p[i], fine_classes(a->with), &all[i].classes)) {
            all[i].sum = (double *)calloc(all[i].classes.count, sizeof *all[i].sum);
            all[i].count = (size_t *)calloc(all[i].classes.count, sizeof *all[i].count);
        }
        if (all[i].sum && all[i].count) continue;
        close_sums(all, a->parameters);
        return NULL;
    }
    return all;
}

/* One pass over all points for all parameters: their values take longer than the sums. */
static void add_points(const answers *a, sums *all)
{
    const size_t points = sweep_points(a->s);
    double value[SWEEP_PARAMETERS];
    for (size_t point = 0; point < points; ++point) {
        if (isnan(a->mean[point])) continue;
        const double away = a->mean[point] - a->overall;
        sweep_values(a->s, point, value);
        for (size_t i = 0; i < a->parameters; ++i) {
            const size_t at = answers_class_of(&all[i].classes, value[i]);
            all[i].sum[at] += away;
            all[i].count[at]++;
        }
    }
}

static bool set_classes(const answers *a, answers_effect *e, const sums *from)
{
    const sweep_parameter *p = from->classes.parameter;
    answers_classes coarse;
    if (!answers_classes_open(p, ANSWERS_CLASSES, &coarse)) return false;
    e->count = coarse.count;
    e->classes = (answers_class *)calloc(e->count, sizeof *e->classes);
    if (!e->classes) {
        answers_classes_close(&coarse);
        return false;
    }
    for (size_t i = 0; i < from->classes.count; ++i) { /* bounds of the coarse ones are bounds of the fine ones */
        answers_class *c =
            &e->classes[p->count > 0 || i == 0 ? i : answers_class_of(&coarse, from->classes.bound[i - 1])];
        c->mean += from->sum[i];
        c->count += from->count[i];
    }
    const answers_class *lowest = NULL, *highest = NULL;
    for (size_t i = 0; i < e->count; ++i) {
        answers_class *c = &e->classes[i];
        c->value = answers_class_value(&coarse, i);
        c->mean = c->count > 0 ? a->overall + c->mean / (double)c->count : (double)NAN;
        if (c->count == 0) continue;
        if (!(e->smallest <= c->mean)) e->smallest = c->mean;
        if (!(e->largest >= c->mean)) e->largest = c->mean;
        if (!lowest || (p->words && c->mean < lowest->mean)) lowest = c;
        if (!highest || !p->words || c->mean > highest->mean) highest = c;
    }
    answers_classes_close(&coarse);
    if (!lowest) return true;
    e->low = lowest->mean;
    e->low_value = lowest->value;
    e->high = highest->mean;
    e->high_value = highest->value;
    return true;
}

/* First-order indices of independent points. */
static void set_first(const answers *a, answers_effect *e, const sums *from)
{
    double between = 0, classes = 0;
    for (size_t i = 0; i < from->classes.count; ++i) {
        if (from->count[i] == 0) continue;
        classes += 1;
        between += from->sum[i] * from->sum[i] / (double)from->count[i];
    }
    const double n = (double)a->with, all = n * a->variance;
    if (!(n >= 10 * classes) || !varies(a)) return; /* with fewer points, classes differ by chance */
    const double within = sweep_design_of(a->s) == SWEEP_SOBOL ? 0 : fmax(all - between, 0) / (n - classes);
    e->first.mean = (between - (classes - 1) * within) / (all + within);
}

/* Indices of a grid: the parameters by their places in it. */
static void set_factorial(const answers *a, const sweep_parameter *p)
{
    const size_t points = sweep_points(a->s);
    for (size_t i = 0, after = points; i < a->parameters; ++i) {
        const size_t count = p[i].count, before = after; /* points in a block of this parameter */
        double between = 0, within = 0;
        after /= count;
        for (size_t k = 0; k < count; ++k) {
            double sum = 0;
            for (size_t at = k * after; at < points; at += before)
                for (size_t in = at; in < at + after; ++in) sum += a->mean[in] - a->overall;
            const size_t each = points / count;
            sum /= (double)each;
            between += sum * sum / (double)count;
        }
        for (size_t at = 0; at < points; at += before)
            for (size_t in = at; in < at + after; ++in) {
                double sum = 0, squares = 0;
                for (size_t k = 0; k < count; ++k) sum += a->mean[in + k * after] - a->overall;
                sum /= (double)count;
                for (size_t k = 0; k < count; ++k) {
                    const double away = a->mean[in + k * after] - a->overall - sum;
                    squares += away * away;
                }
                within += squares;
            }
        const double first = between / a->variance, total = within / (double)points / a->variance;
        a->effect[i].first = (simkit_interval){ first, first, first, points };
        a->effect[i].total = (simkit_interval){ total, total, total, points };
    }
}

static bool row_complete(const answers *a, size_t row)
{
    for (size_t k = 0; k < a->parameters + 2; ++k)
        if (isnan(a->mean[row * (a->parameters + 2) + k])) return false;
    return true;
}

/* The interval of a ratio mean(u) / mean(v): that of the mean of (u - ratio * v) / mean(v). */
static simkit_interval ratio_interval(double ratio, double squares, double variance, size_t rows)
{
    const double n = (double)rows;
    if (rows < 2) return (simkit_interval){ ratio, -(double)INFINITY, (double)INFINITY, rows };
    const double half = netmodel_student(ANSWERS_LEVEL, rows - 1) * sqrt(squares / (n - 1) / n) / variance;
    return (simkit_interval){ ratio, ratio - half, ratio + half, rows };
}

static void set_saltelli(answers *a)
{
    const size_t width = a->parameters + 2, base = sweep_base(a->s);
    double centre = 0, variance = 0;
    a->rows = 0;
    for (size_t row = 0; row < base; ++row) {
        if (!row_complete(a, row)) continue;
        const double *f = a->mean + row * width;
        a->rows++;
        centre += (f[0] - a->overall) + (f[1] - a->overall);
    }
    a->left_out = base - a->rows;
    if (a->rows == 0 || !varies(a)) return;
    const double n = (double)a->rows;
    centre = a->overall + centre / (2 * n);
    for (size_t row = 0; row < base; ++row) {
        if (!row_complete(a, row)) continue;
        const double *f = a->mean + row * width, x = f[0] - centre, y = f[1] - centre;
        variance += (x * x + y * y) / 2;
    }
    variance /= n;
    if (!(variance > 0)) return;
    for (size_t i = 0; i < a->parameters; ++i) {
        double first = 0, total = 0, first_squares = 0, total_squares = 0;
        for (int pass = 0; pass < 2; ++pass) {
            for (size_t row = 0; row < base; ++row) {
                if (!row_complete(a, row)) continue;
                const double *f = a->mean + row * width, x = f[0] - centre, y = f[1] - centre, xy = f[2 + i] - centre;
                const double v = (x * x + y * y) / 2, u = y * (xy - x), w = (x - xy) * (x - xy) / 2;
                if (pass == 0) {
                    first += u;
                    total += w;
                } else {
                    first_squares += (u - first * v) * (u - first * v);
                    total_squares += (w - total * v) * (w - total * v);
                }
            }
            if (pass > 0) break;
            first /= n * variance;
            total /= n * variance;
        }
        a->effect[i].first = ratio_interval(first, first_squares, variance, a->rows);
        a->effect[i].total = ratio_interval(total, total_squares, variance, a->rows);
    }
}

/* How much a parameter matters, for the order. */
static double importance(const answers *a, size_t parameter, bool total, bool first)
{
    const answers_effect *e = &a->effect[parameter];
    const double value = total ? e->total.mean : first ? e->first.mean : e->largest - e->smallest;
    return isnan(value) ? -(double)INFINITY : value;
}

static void set_order(answers *a)
{
    bool total = true, first = true;
    for (size_t i = 0; i < a->parameters; ++i) {
        total = total && !isnan(a->effect[i].total.mean);
        first = first && !isnan(a->effect[i].first.mean);
    }
    for (size_t i = 0; i < a->parameters; ++i) {
        size_t at = i;
        for (; at > 0 && importance(a, i, total, first) > importance(a, a->order[at - 1], total, first); --at)
            a->order[at] = a->order[at - 1];
        a->order[at] = i;
    }
}

static bool set_effects(answers *a)
{
    const double nan = (double)NAN;
    const sweep_design design = sweep_design_of(a->s);
    const sweep_parameter *p = sweep_parameters(a->s, &a->parameters);
    const size_t points = sweep_points(a->s);
    sums *all = open_sums(a, p);
    bool right = all != NULL;
    for (size_t i = 0; i < a->parameters; ++i)
        a->effect[i] = (answers_effect){ i, 0, NULL, nan, nan, nan, nan, nan, nan, unknown(a->with), unknown(a->with) };
    if (right) add_points(a, all);
    for (size_t i = 0; right && i < a->parameters; ++i) {
        right = set_classes(a, &a->effect[i], &all[i]);
        if (right && (design == SWEEP_LATIN || design == SWEEP_SOBOL)) set_first(a, &a->effect[i], &all[i]);
    }
    close_sums(all, a->parameters);
    if (design == SWEEP_FACTORIAL && a->with == points && varies(a)) set_factorial(a, p);
    if (design == SWEEP_SALTELLI) set_saltelli(a);
    set_order(a);
    return right;
}

bool answers_open(const sweep *s, size_t result, answers *a)
{
    const size_t points = sweep_points(s);
    memset(a, 0, sizeof *a);
    a->s = s;
    a->result = result;
    a->overall = a->variance = a->smallest = a->largest = (double)NAN;
    sweep_parameters(s, &a->parameters);
    a->mean = (double *)malloc(points * sizeof *a->mean);
    a->effect = (answers_effect *)calloc(a->parameters, sizeof *a->effect);
    a->order = (size_t *)calloc(a->parameters, sizeof *a->order);
    if (!a->mean || !a->effect || !a->order) {
        answers_close(a);
        return false;
    }
    a->with = answers_means(s, result, a->mean);
    const double n = (double)a->with;
    double sum = 0, left = 0, squares = 0;
    for (size_t i = 0; i < points; ++i) {
        if (isnan(a->mean[i])) continue;
        sum += a->mean[i];
        if (!(a->smallest <= a->mean[i])) a->smallest = a->mean[i];
        if (!(a->largest >= a->mean[i])) a->largest = a->mean[i];
    }
    for (size_t i = 0; i < points; ++i) {
        if (isnan(a->mean[i])) continue;
        const double away = a->mean[i] - sum / n;
        left += away;
        squares += away * away;
    }
    if (a->with > 0) {
        a->overall = sum / n + left / n;
        a->variance = fmax(squares - left * left / n, 0) / n;
    }
    if (set_effects(a)) return true;
    answers_close(a);
    return false;
}

void answers_close(answers *a)
{
    for (size_t i = 0; a->effect && i < a->parameters; ++i) free(a->effect[i].classes);
    free(a->effect);
    free(a->order);
    free(a->mean);
    memset(a, 0, sizeof *a);
}

/*=============================================================================
 * MARK: - >>choices
 *===========================================================================*/
/* Compares the values of the parameter in one combination of the others: point `first`, and every `step`-th from there. */
static void compare(answers_choice *c, const answers_classes *classes, const double *mean, size_t first, size_t step)
{
    const size_t values = classes->parameter->count;
    double best = (double)INFINITY;
    size_t with = 0;
    for (size_t i = 0; i < values; ++i) {
        const double value = mean[first + i * step];
        if (isnan(value)) continue;
        ++with;
        if (value < best) best = value;
    }
    if (with < 2) {
        c->left_out++;
        return;
    }
    c->cases++;
    for (size_t i = 0; i < values; ++i) {
        const double value = mean[first + i * step];
        if (isnan(value)) continue;
        answers_option *o = &c->option[classes->of_index[i]];
        const double loss = best > 0 ? value / best - 1 : (double)NAN;
        o->cases++;
        o->best += value <= best;
        o->mean += value;
        o->loss += loss;
        if (!(loss <= o->worst)) o->worst = isnan(o->worst) ? o->worst : loss;
    }
}

bool answers_choice_open(const sweep *s, const sweep_choice *choice, const double *mean, answers_choice *c)
{
    size_t parameters, step = 1;
    const sweep_parameter *all = sweep_parameters(s, &parameters), *p = &all[choice->parameter];
    const size_t points = sweep_points(s);
    answers_classes classes;
    memset(c, 0, sizeof *c);
    if (!answers_classes_open(p, 1, &classes)) return false;
    c->count = c->chosen = c->favourite = classes.count;
    c->option = (answers_option *)calloc(c->count, sizeof *c->option);
    for (size_t i = parameters; i-- > choice->parameter + 1;) step *= all[i].count;
    for (size_t at = 0; c->option && at < points; at += step * p->count)
        for (size_t in = at; in < at + step; ++in) compare(c, &classes, mean, in, step);
    for (size_t i = 0; c->option && i < c->count; ++i) {
        answers_option *o = &c->option[i];
        const double cases = o->cases > 0 ? (double)o->cases : (double)NAN;
        o->value = answers_class_value(&classes, i);
        o->mean /= cases;
        o->loss /= cases;
        o->worst = isnan(o->loss) ? o->loss : o->worst;
        if (o->best > 0 && (c->favourite == c->count || o->best > c->option[c->favourite].best)) c->favourite = i;
    }
    if (c->option && !isnan(choice->chosen)) c->chosen = answers_class_of(&classes, choice->chosen);
    answers_classes_close(&classes);
    return c->option != NULL;
}

void answers_choice_close(answers_choice *c)
{
    free(c->option);
    memset(c, 0, sizeof *c);
}

/*=============================================================================
 * MARK: - >>tables
 *===========================================================================*/
/* A table of texts; its first row is the heading. */
typedef struct table {
    size_t rows, columns;
    char (*text)[ANSWERS_TEXT]; /* text[rows * columns] */
    unsigned long left;         /* bit i: column i is aligned to the left */
    size_t most;                /* letters in a line */
} table;

enum { LINE = 110, COLUMNS_LEFT = 8 * (int)sizeof(unsigned long) };

static bool open_table(table *t, size_t rows, size_t columns)
{
    *t = (table){ rows, columns, (char(*)[ANSWERS_TEXT])calloc(rows * columns, ANSWERS_TEXT), 1, LINE };
    return t->text != NULL;
}

static char *cell(const table *t, size_t row, size_t column)
{
    return t->text[row * t->columns + column];
}

static void print_cell(const table *t, size_t row, size_t column, size_t width, bool last, FILE *file)
{
    const char *text = cell(t, row, column);
    const bool left = column < (size_t)COLUMNS_LEFT && (t->left >> column & 1);
    const int space = width > strlen(text) ? (int)(width - strlen(text)) : 0;
    if (left)
        fprintf(file, "  %s%*s", text, last ? 0 : space, "");
    else
        fprintf(file, "  %*s%s", space, "", text);
}

/* Prints it, in blocks that fit into a line; the first columns are those of every block. */
static void print_table(const table *t, size_t first, FILE *file)
{
    size_t width[SWEEP_PARAMETERS + 64] = { 0 }, fixed = 0;
    for (size_t row = 0; row < t->rows; ++row)
        for (size_t i = 0; i < t->columns; ++i)
            if (strlen(cell(t, row, i)) > width[i]) width[i] = strlen(cell(t, row, i));
    for (size_t i = 0; i < first; ++i) fixed += 2 + width[i];
    for (size_t from = first, to; from < t->columns; from = to) {
        size_t line = fixed;
        for (to = from; to < t->columns && (to == from || (line + 2 + width[to] <= t->most)); ++to)
            line += 2 + width[to];
        for (size_t row = 0; row < t->rows; ++row) {
            for (size_t i = 0; i < first; ++i) print_cell(t, row, i, width[i], false, file);
            for (size_t i = from; i < to; ++i) print_cell(t, row, i, width[i], i + 1 == to, file);
            fputc('\n', file);
        }
        if (to < t->columns) fputc('\n', file);
    }
}

/*=============================================================================
 * MARK: - >>printing
 *===========================================================================*/
static const char *several(size_t count)
{
    return count == 1 ? "" : "s";
}

/* Messages of failed runs, for their order to depend on nothing but themselves. */
typedef struct messages {
    const char **text;
    size_t *times, count, space;
    bool failed;
} messages;

static void take_message(void *user, const char *message, size_t times, size_t point, size_t seed)
{
    messages *m = (messages *)user;
    (void)point, (void)seed;
    if (times == 0 || m->failed) return;
    if (m->count == m->space) {
        m->space = 2 * m->space + 16;
        const char **text = (const char **)realloc(m->text, m->space * sizeof *text);
        if (text) m->text = text;
        size_t *counts = (size_t *)realloc(m->times, m->space * sizeof *counts);
        if (counts) m->times = counts;
        m->failed = !text || !counts;
        if (m->failed) return;
    }
    size_t at = m->count++;
    for (; at > 0 && (times > m->times[at - 1] || (times == m->times[at - 1] && strcmp(message, m->text[at - 1]) < 0));
         --at) {
        m->times[at] = m->times[at - 1];
        m->text[at] = m->text[at - 1];
    }
    m->times[at] = times;
    m->text[at] = message;
}

static bool print_failures(const sweep *s, FILE *file)
{
    enum { SHOWN = 10 };
    messages m = { NULL, NULL, 0, 0, false };
    if (sweep_progress(s).failed == 0) return true;
    sweep_failures(s, take_message, &m);
    for (size_t i = 0; i < m.count && i < SHOWN && !m.failed; ++i)
        fprintf(file, "  failed, %lu time%s: %s\n", (unsigned long)m.times[i], several(m.times[i]), m.text[i]);
    if (m.count > SHOWN) fprintf(file, "  and %lu other messages\n", (unsigned long)(m.count - SHOWN));
    free(m.text);
    free(m.times);
    return !m.failed;
}

static void print_lines(size_t count, const char *text, FILE *file)
{
    if (count > 0)
        fprintf(file, "  %lu line%s of the results %s %s\n", (unsigned long)count, several(count),
                count == 1 ? "is" : "are", text);
}

static bool print_header(const sweep *s, FILE *file)
{
    static const char *const designs[] = { "factorial", "latin", "sobol", "saltelli" };
    const sweep_tally t = sweep_progress(s);
    const size_t points = sweep_points(s), seeds = sweep_seeds(s);
    size_t parameters, none = 0;
    sweep_parameters(s, &parameters);
    fprintf(file, "%s: %s, %lu point%s of %lu parameter%s, %lu of %lu runs done, %lu failed\n", sweep_name(s),
            designs[sweep_design_of(s)], (unsigned long)points, several(points), (unsigned long)parameters,
            several(parameters), (unsigned long)t.done, (unsigned long)t.planned, (unsigned long)t.failed);
    for (size_t i = 0; i < points && t.done < points * seeds; ++i) {
        bool found = false;
        for (size_t seed = 0; seed < seeds && !found; ++seed)
            for (size_t k = 0; k < sweep_model_of(s)->result_count && !found; ++k)
                found = !isnan(sweep_found(s, i, seed, k));
        none += !found;
    }
    if (none > 0) fprintf(file, "  %lu point%s no results\n", (unsigned long)none, none == 1 ? " has" : "s have");
    const size_t wide = sweep_wide(s);
    if (wide > 0)
        fprintf(file, "  %lu point%s reached the maximum of %lu seeds with a wider interval than was asked for\n",
                (unsigned long)wide, wide == 1 ? " has" : "s have", (unsigned long)seeds);
    print_lines(t.damaged, "damaged: their runs count as missing", file);
    print_lines(t.foreign, "of other points, and not used", file);
    print_lines(
        t.differing,
        "of runs that have other results in an earlier line: the model depends on more than the point and the seed",
        file);
    return print_failures(s, file);
}

static bool print_overall(const sweep *s, FILE *file)
{
    static const char *const headings[] = { "result", "runs", "mean", "deviation", "minimum", "median", "maximum" };
    const sweep_model *m = sweep_model_of(s);
    table t;
    bool right = open_table(&t, m->result_count + 1, 7);
    for (size_t i = 0; right && i < 7; ++i) strcpy(cell(&t, 0, i), headings[i]);
    for (size_t k = 0; right && k < m->result_count; ++k) {
        answers_overall all;
        right = answers_overall_of(s, k, &all);
        if (!right) break;
        const answers_unit unit = answers_unit_for(
            m->results[k].unit, isfinite(all.deviation) ? fmax(fabs(all.mean), all.deviation) : all.mean);
        const double numbers[] = { all.mean, all.deviation, all.minimum, all.median, all.maximum };
        label(cell(&t, k + 1, 0), ANSWERS_TEXT, m->results[k].name, &unit);
        snprintf(cell(&t, k + 1, 1), ANSWERS_TEXT, "%lu", (unsigned long)all.runs);
        for (size_t i = 0; i < 5; ++i) write_in(cell(&t, k + 1, i + 2), numbers[i], &unit, 4);
    }
    fputc('\n', file);
    if (right) print_table(&t, 1, file);
    free(t.text);
    return right;
}

/* "12.3", or "12.3 +- 0.4" where there are several seeds. */
static void write_interval(char text[ANSWERS_TEXT], const simkit_interval *i, const answers_unit *unit)
{
    char half[ANSWERS_TEXT];
    write_in(text, i->mean, unit, 4);
    if (i->count < 2 || !isfinite(i->high)) return;
    write_in(half, (i->high - i->low) / 2, unit, 2);
    const size_t length = strlen(text);
    snprintf(text + length, ANSWERS_TEXT - length, " +- %.20s", half);
}

/* The width of an 80 % interval of a mean, from that of ANSWERS_LEVEL; 0: points differ in their seeds, or have one. */
static double narrower(const sweep *s)
{
    uint64_t count = answers_point(s, 0, sweep_watched(s)).count;
    for (size_t i = 1; i < sweep_points(s); ++i)
        if (answers_point(s, i, sweep_watched(s)).count != count) return 0;
    return count > 1 ? netmodel_student(0.8, (size_t)count - 1) / netmodel_student(ANSWERS_LEVEL, (size_t)count - 1)
                     : 0;
}

/* All points of a small factorial design. */
static bool print_points(const sweep *s, FILE *file)
{
    enum { MOST = 40 };
    const sweep_model *m = sweep_model_of(s);
    const size_t points = sweep_points(s);
    size_t parameters;
    const sweep_parameter *p = sweep_parameters(s, &parameters);
    if (sweep_design_of(s) != SWEEP_FACTORIAL || points > MOST) return true;
    table t;
    double value[SWEEP_PARAMETERS];
    bool right = open_table(&t, points + 1, parameters + m->result_count);
    for (size_t i = 0; right && i < parameters; ++i) strcpy(cell(&t, 0, i), p[i].name);
    for (size_t i = 0; right && i < points; ++i) {
        sweep_values(s, i, value);
        for (size_t k = 0; k < parameters; ++k) answers_value(cell(&t, i + 1, k), &p[k], value[k]);
    }
    for (size_t k = 0; right && k < m->result_count; ++k) {
        double largest = 0;
        for (size_t i = 0; i < points; ++i) largest = fmax(largest, fabs(answers_point(s, i, k).mean));
        const answers_unit unit = answers_unit_for(m->results[k].unit, largest);
        label(cell(&t, 0, parameters + k), ANSWERS_TEXT, m->results[k].name, &unit);
        for (size_t i = 0; i < points; ++i) {
            const simkit_interval interval = answers_point(s, i, k);
            write_interval(cell(&t, i + 1, parameters + k), &interval, &unit);
        }
    }
    if (right) {
        const double ratio = narrower(s);
        fprintf(file, "\nPoints%s", sweep_seeds(s) > 1 ? ": mean over the seeds +- half of its 95 % interval" : "");
        if (ratio > 0) fprintf(file, "; one of 80 %% is %.3g times as wide", ratio);
        fputc('\n', file);
        t.left = 0;
        for (size_t k = 0; k < parameters; ++k)
            if (p[k].words) t.left |= 1ul << k;
        print_table(&t, parameters, file);
    }
    free(t.text);
    return right;
}

/* A row of the table of intervals, from `column` on: runs, median and ends. */
static void write_expected(const table *t, size_t row, size_t column, const answers_expected *e,
                           const answers_unit *unit)
{
    const bool known = interval_known(&e->next);
    const double ends[4] = { e->next.low[0], e->next.high[0], e->next.low[1], e->next.high[1] };
    snprintf(cell(t, row, column), ANSWERS_TEXT, "%lu", (unsigned long)e->runs);
    write_in(cell(t, row, column + 1), e->median, unit, 4);
    for (size_t i = 0; i < 4; ++i) write_in(cell(t, row, column + 2 + i), known ? ends[i] : (double)NAN, unit, 4);
}

/* Says from what the intervals are. */
static void print_basis(const sweep *s, const answers_expected *e, size_t count, FILE *file)
{
    const char *name = sweep_model_of(s)->family;
    const residuals *family = name ? interval_family(name) : NULL;
    unsigned reasons = 0;
    for (size_t i = 0; i < count; ++i) reasons |= e[i].reasons;
    if (!family) {
        fputs("  from how much these runs differ alone: the model was not compared with real runs\n", file);
        return;
    }
    fprintf(file,
            "  from how much these runs differ, and from %d real runs of such programs, of which so many were within "
            "%.1f %% and "
            "%.1f %%\n",
            family->runs, 100 * family->within[0], 100 * family->within[1]);
    interval_print_reasons(file, family, reasons, "");
}

/* Where a real run is expected: of all results, or of the watched one for each combination of choices. */
static bool print_expected(const sweep *s, FILE *file)
{
    static const char *const headings[] = { "runs", "median", "80 % from", "to", "95 % from", "to" };
    answers_expected e[ANSWERS_EXPECTED];
    const sweep_model *m = sweep_model_of(s);
    char none[SWEEP_WHY];
    size_t count, parameters, first = 0;
    const sweep_parameter *p = sweep_parameters(s, &parameters);
    if (!answers_expected_of(s, sweep_watched(s), e, &count, none)) return false;
    if (count == 0) {
        fprintf(file, "\nNo interval of a run: %s\n", none);
        return true;
    }
    for (size_t i = 0; i < parameters; ++i) first += answers_chosen(&p[i]);
    const size_t rows = first > 0 ? count : m->result_count, fixed = first > 0 ? first : 1;
    table t;
    bool right = open_table(&t, rows + 1, fixed + 6);
    for (size_t i = 0; right && i < 6; ++i) strcpy(cell(&t, 0, fixed + i), headings[i]);
    if (right && first > 0) {
        double value[SWEEP_PARAMETERS], largest = 0;
        for (size_t i = 0; i < count; ++i) largest = fmax(largest, fabs(e[i].median));
        const answers_unit unit = answers_unit_for(m->results[sweep_watched(s)].unit, largest);
        label(cell(&t, 0, fixed + 1), ANSWERS_TEXT, "median", &unit);
        for (size_t i = 0, column = 0; i < parameters; ++i)
            if (answers_chosen(&p[i])) strcpy(cell(&t, 0, column++), p[i].name);
        for (size_t row = 0; row < rows; ++row) {
            sweep_values(s, e[row].point, value);
            for (size_t i = 0, column = 0; i < parameters; ++i)
                if (answers_chosen(&p[i])) answers_value(cell(&t, row + 1, column++), &p[i], value[i]);
            write_expected(&t, row + 1, fixed, &e[row], &unit);
        }
    }
    for (size_t k = 0; right && first == 0 && k < rows; ++k) {
        right = answers_expected_of(s, k, e, &count, none);
        if (!right) break;
        const answers_unit unit = answers_unit_for(m->results[k].unit, e[0].median);
        label(cell(&t, k + 1, 0), ANSWERS_TEXT, m->results[k].name, &unit);
        write_expected(&t, k + 1, 1, &e[0], &unit);
    }
    if (right) {
        fprintf(file, "\nWhere a run is expected: 80 %% and 95 %% intervals of %s\n",
                first > 0 ? m->results[sweep_watched(s)].name : "the results");
        if (first > 0) t.left = 0;
        for (size_t i = 0, column = 0; first > 0 && i < parameters; ++i) {
            if (!answers_chosen(&p[i])) continue;
            if (p[i].words) t.left |= 1ul << column;
            ++column;
        }
        print_table(&t, fixed, file);
        print_basis(s, e, count, file);
    }
    free(t.text);
    return right;
}

/* "0.412", or "0.412 +- 0.015". */
static void write_index(char text[ANSWERS_TEXT], const simkit_interval *i)
{
    if (isnan(i->mean))
        strcpy(text, "-");
    else if (isfinite(i->high) && i->high > i->low)
        snprintf(text, ANSWERS_TEXT, "%.3f +- %.3f", i->mean, (i->high - i->low) / 2);
    else
        snprintf(text, ANSWERS_TEXT, "%.3f", i->mean);
}

/* What the indices are, in a sentence. */
static void print_about(const answers *a, FILE *file)
{
    const sweep_quantity *r = &sweep_model_of(a->s)->results[a->result];
    const size_t points = sweep_points(a->s);
    char mean[ANSWERS_TEXT];
    answers_quantity(mean, a->overall, r->unit);
    fprintf(file, "\nWhat %s depends on: mean %s of %lu point%s", r->name, mean, (unsigned long)a->with,
            several(a->with));
    if (a->with < points) fprintf(file, ", %lu without results", (unsigned long)(points - a->with));
    fputs("\n", file);
    if (!varies(a)) {
        fprintf(file, "  %s\n",
                a->with == 0   ? "there are no results"
                : a->with == 1 ? "only one point has results"
                               : "it is the same everywhere");
        return;
    }
    switch (sweep_design_of(a->s)) {
    case SWEEP_FACTORIAL:
        fputs(a->with == points ? "  first-order and total Sobol' indices of these values, all equally likely\n"
                                : "  no Sobol' indices, because points are missing; the means are of unlike points\n",
              file);
        break;
    case SWEEP_SALTELLI:
        fprintf(file, "  first-order and total Sobol' indices with 95 %% intervals, of %lu rows\n",
                (unsigned long)a->rows);
        if (a->left_out > 0)
            fprintf(file, "  %lu row%s left out, where results are missing\n", (unsigned long)a->left_out,
                    several(a->left_out));
        break;
    default:
        fputs("  first-order Sobol' indices from classes of the values; for total ones: design = saltelli\n", file);
    }
}

static void write_bar(char text[ANSWERS_TEXT], double part)
{
    const int most = 10, length = isnan(part) ? 0 : (int)floor(fmin(fmax(part, 0), 1) * most + 0.5);
    memset(text, '#', (size_t)length);
    text[length] = 0;
}

/* Means at all values of a parameter, unless the table above shows all of them. */
static void print_means(const answers *a, const answers_unit *unit, FILE *file)
{
    enum { MOST = 12 };
    size_t parameters;
    bool said = false;
    const sweep_parameter *p = sweep_parameters(a->s, &parameters);
    for (size_t i = 0; i < parameters; ++i) {
        const answers_effect *e = &a->effect[a->order[i]];
        const sweep_parameter *of = &p[e->parameter];
        if (of->count <= 2 || of->count > MOST) continue;
        if (!said) {
            char head[ANSWERS_TEXT];
            label(head, sizeof head, sweep_model_of(a->s)->results[a->result].name, unit);
            fprintf(file, "\n  mean of %s at each value\n", head);
        }
        said = true;
        int column = fprintf(file, "  %s:", of->name);
        const int indent = column;
        for (size_t k = 0; k < e->count; ++k) {
            char value[ANSWERS_TEXT], mean[ANSWERS_TEXT], both[2 * ANSWERS_TEXT + 4];
            answers_value(value, of, e->classes[k].value);
            write_in(mean, e->classes[k].mean, unit, 4);
            snprintf(both, sizeof both, "  %s: %s%s", value, mean, k + 1 < e->count ? "," : "");
            if (column + (int)strlen(both) > LINE) column = fprintf(file, "\n%*s", indent, "") - 1;
            column += fprintf(file, "%s", both);
        }
        fputc('\n', file);
    }
}

static bool print_effects(const sweep *s, size_t result, FILE *file)
{
    answers a;
    table t;
    size_t parameters;
    const sweep_parameter *p = sweep_parameters(s, &parameters);
    const sweep_quantity *r = &sweep_model_of(s)->results[result];
    if (!answers_open(s, result, &a)) return false;
    const answers_unit unit = answers_unit_for(r->unit, fmax(fabs(a.overall), sqrt(a.variance)));
    print_about(&a, file);
    if (!varies(&a)) {
        answers_close(&a);
        return true;
    }
    static const char *const headings[] = { "parameter", "first order", "total",   "",    "range",
                                            "lowest",    "mean",        "highest", "mean" };
    const size_t columns = sizeof headings / sizeof *headings;
    const bool right = open_table(&t, parameters + 1, columns);
    for (size_t i = 0; right && i < columns; ++i) strcpy(cell(&t, 0, i), headings[i]);
    if (right) {
        label(cell(&t, 0, 6), ANSWERS_TEXT, "mean", &unit);
        label(cell(&t, 0, 8), ANSWERS_TEXT, "mean", &unit);
    }
    double widest = 0;
    for (size_t i = 0; i < parameters; ++i) widest = fmax(widest, a.effect[i].largest - a.effect[i].smallest);
    for (size_t i = 0; right && i < parameters; ++i) {
        const answers_effect *e = &a.effect[a.order[i]];
        const double range = e->largest - e->smallest, part = !isnan(e->total.mean) ? e->total.mean : e->first.mean;
        strcpy(cell(&t, i + 1, 0), p[e->parameter].name);
        write_index(cell(&t, i + 1, 1), &e->first);
        write_index(cell(&t, i + 1, 2), &e->total);
        write_bar(cell(&t, i + 1, 3), isnan(part) && widest > 0 ? range / widest : part);
        if (fabs(a.overall) > 0) {
            answers_digits(cell(&t, i + 1, 4), 100 * range / fabs(a.overall), 3);
            strcat(cell(&t, i + 1, 4), " %");
        } else {
            answers_quantity(cell(&t, i + 1, 4), range, r->unit);
        }
        answers_value(cell(&t, i + 1, 5), &p[e->parameter], e->low_value);
        write_in(cell(&t, i + 1, 6), e->low, &unit, 4);
        answers_value(cell(&t, i + 1, 7), &p[e->parameter], e->high_value);
        write_in(cell(&t, i + 1, 8), e->high, &unit, 4);
    }
    if (right) {
        t.left |= 1ul << 3;
        t.most = 2 * LINE; /* with long names and values, one long line is easier to read than two */
        print_table(&t, 1, file);
        print_means(&a, &unit, file);
    }
    free(t.text);
    answers_close(&a);
    return right;
}

static void percent(char text[ANSWERS_TEXT], double part)
{
    answers_digits(text, 100 * part, part < 0.1 ? 2 : 3);
    if (!isnan(part)) strcat(text, " %");
}

/* "r = 324 takes 1.3 % longer than the best on average, 4.1 % at most; r = 216 is best in 61 % of 41 cases" */
static void print_chosen(const sweep *s, const sweep_choice *choice, const answers_choice *c, FILE *file)
{
    size_t parameters;
    const sweep_parameter *p = &sweep_parameters(s, &parameters)[choice->parameter];
    const sweep_quantity *r = &sweep_model_of(s)->results[choice->result];
    char value[ANSWERS_TEXT], mean[ANSWERS_TEXT], worst[ANSWERS_TEXT];
    if (c->cases == 0) return;
    fputs("  ", file);
    if (c->chosen < c->count) {
        const answers_option *o = &c->option[c->chosen];
        answers_value(value, p, o->value);
        fprintf(file, "%s = %s ", p->name, value);
        percent(mean, o->loss);
        percent(worst, o->worst);
        if (o->cases == 0)
            fputs("has no results; ", file);
        else if (isnan(o->loss))
            fprintf(file, "is best in %lu of %lu cases; ", (unsigned long)o->best, (unsigned long)o->cases);
        else if (strcmp(r->unit, "s") == 0 && strstr(r->name, "time"))
            fprintf(file, "takes %s longer than the best on average, %s at most; ", mean, worst);
        else
            fprintf(file, "has %s more %s than the best on average, %s at most; ", mean, r->name, worst);
    }
    answers_value(value, p, c->option[c->favourite].value);
    percent(mean, (double)c->option[c->favourite].best / (double)c->cases);
    fprintf(file, "%s = %s is best in %s of %lu case%s\n", p->name, value, mean, (unsigned long)c->cases,
            several(c->cases));
}

static bool print_choice(const sweep *s, const sweep_choice *choice, FILE *file)
{
    size_t parameters;
    const sweep_parameter *p = &sweep_parameters(s, &parameters)[choice->parameter];
    const sweep_quantity *r = &sweep_model_of(s)->results[choice->result];
    double *mean = (double *)malloc(sweep_points(s) * sizeof *mean), largest = 0;
    answers_choice c;
    table t = { 0, 0, NULL, 0, 0 };
    if (mean) answers_means(s, choice->result, mean);
    const bool open = mean && answers_choice_open(s, choice, mean, &c);
    free(mean);
    if (!open) return false;
    const bool right = open_table(&t, c.count + 1, 6);
    for (size_t i = 0; i < c.count; ++i) largest = fmax(largest, fabs(c.option[i].mean));
    const answers_unit unit = answers_unit_for(r->unit, largest);
    if (right) {
        static const char *const headings[] = { "", "cases", "best", "", "mean loss", "maximum loss" };
        for (size_t i = 0; i < 6; ++i) strcpy(cell(&t, 0, i), headings[i]);
        strcpy(cell(&t, 0, 0), p->name);
        snprintf(cell(&t, 0, 3), ANSWERS_TEXT, "mean");
        label(cell(&t, 0, 3), ANSWERS_TEXT, "mean", &unit);
    }
    for (size_t i = 0; right && i < c.count; ++i) {
        const answers_option *o = &c.option[i];
        answers_value(cell(&t, i + 1, 0), p, o->value);
        snprintf(cell(&t, i + 1, 1), ANSWERS_TEXT, "%lu", (unsigned long)o->cases);
        percent(cell(&t, i + 1, 2), o->cases > 0 ? (double)o->best / (double)o->cases : (double)NAN);
        write_in(cell(&t, i + 1, 3), o->mean, &unit, 4);
        percent(cell(&t, i + 1, 4), o->loss);
        percent(cell(&t, i + 1, 5), o->worst);
    }
    if (right) {
        fprintf(file, "\nChoice of %s: %s in %lu combination%s of the other parameters, the smaller the better",
                p->name, r->name, (unsigned long)c.cases, several(c.cases));
        if (c.left_out > 0) fprintf(file, "; %lu left out, with less than two results", (unsigned long)c.left_out);
        fputc('\n', file);
        if (c.cases > 0) print_table(&t, 1, file);
        print_chosen(s, choice, &c, file);
    }
    free(t.text);
    answers_choice_close(&c);
    return right;
}

bool answers_print(const sweep *s, FILE *file)
{
    size_t pictures, choices;
    const sweep_picture *picture = sweep_pictures(s, &pictures);
    const sweep_choice *choice = sweep_choices(s, &choices);
    if (!print_header(s, file)) return false;
    if (sweep_progress(s).done == 0) return !ferror(file);
    bool right = print_overall(s, file) && print_points(s, file) && print_expected(s, file) &&
                 print_effects(s, sweep_watched(s), file);
    for (size_t i = 0; right && i < pictures; ++i) {
        bool said = picture[i].result == sweep_watched(s);
        for (size_t k = 0; k < i; ++k) said = said || picture[k].result == picture[i].result;
        if (!said) right = print_effects(s, picture[i].result, file);
    }
    for (size_t i = 0; right && i < choices; ++i) right = print_choice(s, &choice[i], file);
    return right && !ferror(file);
}
