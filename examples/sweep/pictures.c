/* pictures.c - pictures of the results of a sweep, as SVG */
#include "pictures.h"
#include "answers.h"
#include "core.h"

#include "../svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES = 8,     /* lines in a picture */
    BARS = 12,     /* bars in a tornado */
    MARKS = 64,    /* ticks that are made here */
    LABEL = 160,   /* size of the label of an axis [B] */
    NUMBERED = 12, /* cells along an axis of a map that have their numbers written in them */
    BELOW = 56,    /* height of what is below a plot [px] */
    DENSE = 2000   /* points of a line that are enough for twice as many classes */
};

static const double letter = 7.2, small_letter = 6.3; /* width of a letter, about [px] */
static const char no_memory[] = "no memory for a picture";

/* A picture that is being drawn. */
typedef struct drawing {
    const sweep *s;
    const sweep_picture *picture;
    const sweep_quantity *result;
    const sweep_parameter *parameter;
    size_t parameters;
    answers_unit unit; /* of the result */
    char title[256], label[LABEL];
    FILE *file;
    svg svg;
} drawing;

/*=============================================================================
 * MARK: - >>texts
 *===========================================================================*/
/* Bytes of a character in UTF-8, by its first byte; 0: no character begins with it. */
static size_t bytes_of(const unsigned char *c)
{
    const size_t count = *c < 0x80                 ? 1
                         : *c >= 0xc2 && *c < 0xe0 ? 2
                         : *c >= 0xe0 && *c < 0xf0 ? 3
                         : *c >= 0xf0 && *c < 0xf5 ? 4
                                                   : 0;
    for (size_t i = 1; i < count; ++i)
        if ((c[i] & 0xc0) != 0x80) return 0;
    return *c < 0x20 || *c == 0x7f ? 0 : count;
}

/* Copies a text as XML can have it: what it cannot have becomes a space. */
static void copy_clean(char *to, size_t size, const char *from)
{
    size_t length = 0;
    for (const unsigned char *c = (const unsigned char *)from; *c;) {
        const size_t count = bytes_of(c), step = count > 0 ? count : 1;
        if (length + step >= size) break;
        if (count > 0)
            memcpy(to + length, c, step);
        else
            to[length] = ' ';
        length += step;
        c += step;
    }
    to[length] = 0;
}

/* Width of a text [px], about. */
static double width_of(const char *text, double each)
{
    double count = 0;
    for (; *text; ++text) count += ((unsigned char)*text & 0xc0) != 0x80;
    return count * each;
}

/* Shortens a text to so many letters. */
static void shorten(char *text, size_t most)
{
    if (strlen(text) <= most || most < 4) return;
    strcpy(text + most - 2, "..");
}

static const char *unit_text(const answers_unit *unit)
{
    return strcmp(unit->name, "us") == 0 ? "\xC2\xB5s" : unit->name;
}

/* A value of a parameter, with the letter for micro. */
static void value_of(char text[ANSWERS_TEXT], const sweep_parameter *p, double value, size_t most)
{
    answers_value(text, p, value);
    shorten(text, most);
    const size_t length = strlen(text);
    if (!p->words && length > 3 && length + 2 < ANSWERS_TEXT && strcmp(text + length - 3, " us") == 0)
        strcpy(text + length - 2, "\xC2\xB5s");
}

static void label_of(char text[LABEL], const char *name, const answers_unit *unit)
{
    snprintf(text, LABEL, *unit->name ? "%s [%s]" : "%s", name, unit_text(unit));
}

static void small_text(const svg *v, double x, double y, const char *anchor, const char *colour, const char *text)
{
    fprintf(v->file, "<g font-size=\"11\" fill=\"%s\">\n", colour);
    svg_text(v, x, y, anchor, text);
    fputs("</g>\n", v->file);
}

/*=============================================================================
 * MARK: - >>axes
 *===========================================================================*/
/* Ticks with their texts. */
typedef struct ticks {
    svg_mark mark[MARKS];
    char text[MARKS][ANSWERS_TEXT];
    int count;
} ticks;

static void add_tick(ticks *t, double at, const char *text)
{
    if (t->count == MARKS) return;
    snprintf(t->text[t->count], ANSWERS_TEXT, "%s", text);
    t->mark[t->count] = (svg_mark){ at, t->text[t->count] };
    t->count++;
}

/* A number as a tick shows it. */
static void add_number(ticks *t, double at, double value)
{
    char text[ANSWERS_TEXT];
    snprintf(text, sizeof text, fabs(value) < 1e7 && fabs(value) >= 1e5 ? "%.0f" : "%.6g", value);
    add_tick(t, at, text);
}

/* The distance of round numbers, four to eight of them. */
static double round_step(double range)
{
    const double ten = pow(10, floor(log10(range / 4)));
    return range / ten >= 20 ? 5 * ten : range / ten >= 8 ? 2 * ten : ten;
}

static void add_round(ticks *t, double from, double to, bool parts)
{
    const double range = to - from, step = round_step(range), first = ceil(from / step - 1e-6);
    for (int i = 0; i < MARKS && (first + i) * step <= to + 1e-6 * range; ++i) {
        const double value = fabs(first + i) > 0 ? (first + i) * step : 0;
        add_number(t, parts ? (value - from) / range : value, value);
    }
}

/* Ticks of a logarithmic axis, also if it is shorter than a decade. */
static void add_logarithmic(ticks *t, double from, double to)
{
    static const int many[] = { 1, 2, 5, 0 }, most[] = { 1, 2, 3, 5, 7, 0 }, one[] = { 1, 0 };
    const double decades = log10(to / from);
    const int *digits = decades > 3.2 ? one : decades > 1.2 ? many : most;
    const int step = decades > 16 ? 4 : decades > 8 ? 2 : 1;
    if (decades < 0.5) {
        add_round(t, from, to, false);
        return;
    }
    for (int power = (int)floor(log10(from)); power <= (int)ceil(log10(to)); power += step)
        for (const int *d = digits; *d; ++d) {
            const double value = *d * pow(10, power);
            if (value >= from * (1 - 1e-9) && value <= to * (1 + 1e-9)) add_number(t, value, value);
        }
}

/* A range that has a width, and numbers that %.6g tells apart; from 0 if that is not far. */
static void widen(double *low, double *high, bool zero)
{
    const double size = fmax(fabs(*low), fabs(*high));
    if (!(*low <= *high)) *low = 0, *high = 1;
    if (zero && *low >= 0 && *low < 0.6 * *high) *low = 0;
    const double least = size > 0 ? 1e-3 * size : 1;
    if (*high - *low < least) {
        const double middle = *low / 2 + *high / 2;
        *low = middle - least / 2;
        *high = middle + least / 2;
    }
}

/* Whether an axis is logarithmic. */
static bool logarithmic(const sweep_parameter *p, double low, double high)
{
    if (p->words || !(low > 0) || !(high > low)) return false;
    return p->law == SWEEP_LOGARITHMIC || p->law == SWEEP_LOG_NORMAL || high > 20 * low;
}

/*=============================================================================
 * MARK: - >>files
 *===========================================================================*/
/* Sets the unit of the result, for numbers of this size, and the title: "time [s] by r and bandwidth". */
static void name_result(drawing *d, double size)
{
    d->unit = answers_unit_for(d->result->unit, size);
    label_of(d->label, d->result->name, &d->unit);
}

static void make_title(drawing *d)
{
    const sweep_picture *p = d->picture;
    if (*p->title)
        copy_clean(d->title, sizeof d->title, p->title);
    else if (p->kind == SWEEP_TORNADO)
        snprintf(d->title, sizeof d->title, "%s by parameter", d->label);
    else
        snprintf(d->title, sizeof d->title, p->y == SIZE_MAX ? "%s by %s" : "%s by %s and %s", d->label,
                 d->parameter[p->x].name, p->y == SIZE_MAX ? "" : d->parameter[p->y].name);
}

static void begin(drawing *d, double width, double height)
{
    make_title(d);
    svg_start(&d->svg, d->file, d->title, fmax(width, 40 + width_of(d->title, 10)), height);
}

/* A plot without results. */
static bool draw_nothing(drawing *d)
{
    begin(d, 640, 240);
    svg_text(&d->svg, 20, 110, "start", "no results yet");
    return true;
}

/*=============================================================================
 * MARK: - >>lines
 *===========================================================================*/
/* A line's mean and band at a place of the horizontal axis. */
typedef struct spot {
    size_t count, point; /* point means, and one of them */
    double mean, low, high;
} spot;

typedef struct lines {
    answers_classes x, y;
    size_t places, count; /* along the axis, and lines */
    size_t shown[LINES];  /* class of y of each line */
    spot *at;             /* at[count * places] */
    bool band, seeds;     /* there are bands; they are intervals of the mean over the seeds */
} lines;

static int ascending(const void *a, const void *b)
{
    const double *x = (const double *)a, *y = (const double *)b;
    return (*x > *y) - (*x < *y);
}

static spot *spot_of(const lines *l, size_t line, size_t place)
{
    return &l->at[line * l->places + place];
}

/* Sorts the point means by spot, and takes mean and band of each. */
static void take_spots(lines *l, const double *mean, const uint32_t *cell, double *sorted, size_t points)
{
    const size_t spots = l->count * l->places;
    size_t from = 0;
    for (size_t i = 0; i < spots; ++i) { /* low is the next place in `sorted` for a moment */
        const size_t count = l->at[i].count;
        l->at[i].count = from;
        from += count;
    }
    for (size_t i = 0; i < points; ++i)
        if (cell[i] != UINT32_MAX) {
            sorted[l->at[cell[i]].count++] = mean[i];
            l->at[cell[i]].point = i;
        }
    for (size_t i = 0, begins = 0; i < spots; ++i) {
        spot *at = &l->at[i];
        const size_t end = at->count;
        double *own = sorted + begins, sum = 0;
        at->count = end - begins;
        begins = end;
        for (size_t k = 0; k < at->count; ++k) sum += own[k];
        at->mean = at->low = at->high = at->count > 0 ? sum / (double)at->count : (double)NAN;
        if (at->count < 2) continue;
        l->band = true;
        qsort(own, at->count, sizeof *own, ascending);
        at->low = simkit_sorted_quantile(own, at->count, 0.025, ANSWERS_LEVEL).mean;
        at->high = simkit_sorted_quantile(own, at->count, 0.975, ANSWERS_LEVEL).mean;
    }
}

/* If a spot is a point: the scatter between its seeds. */
static void take_seeds(const drawing *d, lines *l)
{
    if (l->band || sweep_seeds(d->s) < 2) return;
    for (size_t i = 0; i < l->count * l->places; ++i) {
        spot *at = &l->at[i];
        if (at->count != 1) continue;
        const simkit_interval interval = answers_point(d->s, at->point, d->picture->result);
        if (!isfinite(interval.low) || !isfinite(interval.high)) continue;
        at->low = interval.low;
        at->high = interval.high;
        l->band = l->seeds = true;
    }
}

static bool take_lines(const drawing *d, lines *l, const double *mean)
{
    const sweep_picture *p = d->picture;
    const size_t points = sweep_points(d->s), none = SIZE_MAX;
    size_t line_of[ANSWERS_CLASSES_MOST];
    l->places = l->x.count;
    l->count = p->y == none ? 1 : l->y.count < LINES ? l->y.count : LINES;
    for (size_t i = 0; i < ANSWERS_CLASSES_MOST; ++i) line_of[i] = p->y == none ? 0 : none;
    for (size_t i = 0; i < l->count && p->y != none; ++i) {
        l->shown[i] = l->count > 1 ? i * (l->y.count - 1) / (l->count - 1) : 0;
        line_of[l->shown[i]] = i;
    }
    l->at = (spot *)calloc(l->count * l->places, sizeof *l->at);
    uint32_t *cell = (uint32_t *)malloc(points * sizeof *cell);
    double *sorted = (double *)malloc(points * sizeof *sorted), value[SWEEP_PARAMETERS];
    const bool right = l->at && cell && sorted;
    for (size_t i = 0; right && i < points; ++i) {
        cell[i] = UINT32_MAX;
        if (isnan(mean[i])) continue;
        sweep_values(d->s, i, value);
        const size_t line = p->y == none ? 0 : line_of[answers_class_of(&l->y, value[p->y])];
        if (line == none) continue;
        const size_t at = line * l->places + answers_class_of(&l->x, value[p->x]);
        cell[i] = (uint32_t)at;
        l->at[at].count++;
    }
    if (right) take_spots(l, mean, cell, sorted, points);
    free(cell);
    free(sorted);
    if (right) take_seeds(d, l);
    return right;
}

/* The next place with results from `from` on; places: none. */
static size_t next_spot(const lines *l, size_t line, size_t from)
{
    while (from < l->places && spot_of(l, line, from)->count == 0) ++from;
    return from;
}

/* The parts of a line between values without results: a band, or the line with its spots. A class of any values without
 * results is no gap. */
static void draw_line(drawing *d, const lines *l, size_t line, const double *x, bool band)
{
    const char *colour = svg_colours[line % SVG_COLOURS];
    const double factor = d->unit.factor;
    const bool gaps = l->x.parameter->count > 0;
    size_t used[ANSWERS_CLASSES_MOST];
    for (size_t from = next_spot(l, line, 0), count; from < l->places;) {
        size_t expected = from;
        for (count = 0; from < l->places && (!gaps || from == expected); from = next_spot(l, line, from + 1)) {
            used[count++] = from;
            expected = from + 1;
        }
        if (band && count < 2) continue;
        if (band && l->count > 2) fputs("<g opacity=\"0.4\">\n", d->file); /* many bands hide each other */
        svg_begin(&d->svg, band ? SVG_BAND : SVG_LINE, colour, NULL);
        for (size_t i = 0; i < count; ++i)
            svg_at(&d->svg, x[used[i]],
                   (band ? spot_of(l, line, used[i])->high : spot_of(l, line, used[i])->mean) / factor);
        for (size_t i = count; band && i-- > 0;) svg_at(&d->svg, x[used[i]], spot_of(l, line, used[i])->low / factor);
        svg_end(&d->svg);
        if (band && l->count > 2) fputs("</g>\n", d->file);
        if (band || (l->places > 20 && count > 1)) continue;
        svg_begin(&d->svg, SVG_POINTS, colour, NULL);
        for (size_t i = 0; i < count; ++i) svg_at(&d->svg, x[used[i]], spot_of(l, line, used[i])->mean / factor);
    }
}

/* Words: spots beside each other, each with its interval. */
static void draw_words(drawing *d, const lines *l, size_t line, bool band)
{
    const char *colour = svg_colours[line % SVG_COLOURS];
    for (size_t i = 0; i < l->places; ++i) {
        const spot *at = spot_of(l, line, i);
        const double x = (double)i + ((double)line + 1) / ((double)l->count + 1), factor = d->unit.factor;
        if (at->count == 0) continue;
        if (band) {
            const double left = svg_x(&d->svg, x), high = svg_y(&d->svg, at->high / factor),
                         low = svg_y(&d->svg, at->low / factor);
            fprintf(d->file,
                    "<path d=\"M%.1f %.1f V%.1f M%.1f %.1f h10 M%.1f %.1f h10\" stroke=\"%s\" stroke-width=\"2\" "
                    "fill=\"none\"/>\n",
                    left, low, high, left - 5, low, left - 5, high, colour);
            continue;
        }
        svg_begin(&d->svg, SVG_POINTS, colour, NULL);
        svg_at(&d->svg, x, at->mean / factor);
    }
}

static void line_name(const drawing *d, const lines *l, size_t line, char text[ANSWERS_TEXT])
{
    value_of(text, &d->parameter[d->picture->y], answers_class_value(&l->y, l->shown[line]), 24);
}

static void draw_legend(drawing *d, const lines *l, bool words)
{
    char text[ANSWERS_TEXT];
    svg *v = &d->svg;
    if (d->picture->y != SIZE_MAX) {
        svg_text(v, v->legend_left, v->legend + 4.5, "start", d->parameter[d->picture->y].name);
        v->legend += 22;
        for (size_t k = l->count; k-- > 0;) {
            line_name(d, l, k, text);
            svg_legend(v, words ? SVG_POINTS : SVG_LINE, svg_colours[k % SVG_COLOURS], text);
        }
    } else {
        svg_legend(v, words ? SVG_POINTS : SVG_LINE, svg_colours[0], "mean");
    }
    if (!l->band) return;
    v->legend += 8;
    if (words)
        svg_legend(v, SVG_LINE, "#777777", l->seeds ? "95 % interval" : "middle 95 %");
    else
        svg_legend(v, SVG_BAND, "#777777", l->seeds ? "95 % interval" : "middle 95 %");
    v->legend -= 5;
    svg_text(v, v->legend_left + 26, v->legend + 4.5, "start", l->seeds ? "of the mean" : "of the points");
}

/* Places and ticks along the horizontal axis. */
static svg_axis make_x(const drawing *d, const lines *l, double *x, ticks *t, char label[LABEL], double plot)
{
    const sweep_parameter *p = &d->parameter[d->picture->x];
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (size_t i = 0; i < l->places; ++i) {
        x[i] = answers_class_value(&l->x, i);
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
    }
    if (p->words) {
        snprintf(label, LABEL, "%s", p->name);
        for (size_t i = 0; i < l->places; ++i) {
            char text[ANSWERS_TEXT];
            const double each = plot / (double)l->places;
            value_of(text, p, x[i], (size_t)fmax(4, each / letter - 1));
            if (each >= 4 * letter || i % (size_t)ceil(4 * letter / each) == 0) add_tick(t, (double)i + 0.5, text);
        }
        return (
            svg_axis){ .label = label, .from = 0, .to = (double)l->places, .marks = t->mark, .mark_count = t->count };
    }
    const bool log_axis = logarithmic(p, low, high);
    const answers_unit unit =
        answers_unit_for(p->unit, log_axis ? sqrt(low) * sqrt(high) : fmax(fabs(low), fabs(high)));
    label_of(label, p->name, &unit);
    for (size_t i = 0; i < l->places; ++i) x[i] /= unit.factor;
    low /= unit.factor;
    high /= unit.factor;
    if (log_axis)
        add_logarithmic(t, low, high);
    else {
        widen(&low, &high, false);
        add_round(t, low, high, false);
    }
    return (svg_axis){
        .label = label, .from = low, .to = high, .unit = log_axis ? "" : NULL, .marks = t->mark, .mark_count = t->count
    };
}

static void paint_lines(drawing *d, const lines *l, double *x)
{
    const double plot = 560, left = 90;
    const bool words = d->parameter[d->picture->x].words != NULL;
    double low = (double)INFINITY, high = -(double)INFINITY, legend = width_of("of the points", letter);
    char label[LABEL], text[ANSWERS_TEXT];
    ticks across = { .count = 0 }, up = { .count = 0 };
    for (size_t i = 0; i < l->count * l->places; ++i) {
        if (l->at[i].count == 0) continue;
        low = fmin(low, l->at[i].low);
        high = fmax(high, l->at[i].high);
    }
    name_result(d, fmax(fabs(low), fabs(high)));
    low /= d->unit.factor;
    high /= d->unit.factor;
    const bool from_zero = low >= 0;
    widen(&low, &high, true);
    high += 0.05 * (high - low);
    if (!(from_zero && low <= 0)) low -= 0.05 * (high - low);
    for (size_t i = 0; i < l->count && d->picture->y != SIZE_MAX; ++i) {
        line_name(d, l, i, text);
        legend = fmax(legend, width_of(text, letter));
    }
    if (d->picture->y != SIZE_MAX) legend = fmax(legend, width_of(d->parameter[d->picture->y].name, letter) - 26);
    const svg_axis horizontal = make_x(d, l, x, &across, label, plot);
    add_round(&up, low, high, false);
    begin(d, left + plot + 24 + 26 + legend + 20, 460);
    d->svg.legend_left = left + plot + 24;
    svg_plot(&d->svg, left, left + plot, horizontal,
             (svg_axis){ .from = low, .to = high, .marks = up.mark, .mark_count = up.count });
    svg_text(&d->svg, 20, d->svg.top - 14, "start", d->label);
    for (int pass = 0; pass < 2; ++pass)
        for (size_t k = 0; k < l->count; ++k) {
            if (pass == 0 && !l->band) continue;
            if (words)
                draw_words(d, l, k, pass == 0);
            else
                draw_line(d, l, k, x, pass == 0);
        }
    draw_legend(d, l, words);
}

static bool draw_lines(drawing *d)
{
    lines l;
    const sweep_picture *p = d->picture;
    const size_t points = sweep_points(d->s);
    double *mean = (double *)malloc(points * sizeof *mean), *x = NULL;
    memset(&l, 0, sizeof l);
    if (!mean) return false;
    const size_t with = answers_means(d->s, p->result, mean);
    if (with == 0) {
        free(mean);
        return draw_nothing(d);
    }
    const size_t count = p->y == SIZE_MAX ? 1 : d->parameter[p->y].count;
    bool right =
        answers_classes_open(&d->parameter[p->x], with / count >= DENSE ? 2 * ANSWERS_CLASSES : ANSWERS_CLASSES, &l.x);
    if (right && p->y != SIZE_MAX) right = answers_classes_open(&d->parameter[p->y], 1, &l.y);
    right = right && take_lines(d, &l, mean);
    free(mean);
    if (right) right = (x = (double *)malloc(l.places * sizeof *x)) != NULL;
    if (right) paint_lines(d, &l, x);
    free(x);
    free(l.at);
    answers_classes_close(&l.x);
    answers_classes_close(&l.y);
    return right;
}

/*=============================================================================
 * MARK: - >>maps
 *===========================================================================*/
typedef struct map {
    answers_classes x, y;
    double *mean;  /* mean[x.count * y.count]; sums at first */
    size_t *count; /* count[x.count * y.count] */
    double low, high;
    bool holes;
    bool logarithmic; /* the scale of colours */
} map;

static bool take_map(const drawing *d, map *m)
{
    const sweep_picture *p = d->picture;
    const size_t points = sweep_points(d->s), cells = m->x.count * m->y.count;
    double *mean = (double *)malloc(points * sizeof *mean), value[SWEEP_PARAMETERS];
    m->mean = (double *)calloc(cells, sizeof *m->mean);
    m->count = (size_t *)calloc(cells, sizeof *m->count);
    const bool right = mean && m->mean && m->count;
    if (right) answers_means(d->s, p->result, mean);
    for (size_t i = 0; right && i < points; ++i) {
        if (isnan(mean[i])) continue;
        sweep_values(d->s, i, value);
        const size_t at = answers_class_of(&m->y, value[p->y]) * m->x.count + answers_class_of(&m->x, value[p->x]);
        m->mean[at] += mean[i];
        m->count[at]++;
    }
    free(mean);
    m->low = (double)INFINITY;
    m->high = -(double)INFINITY;
    for (size_t i = 0; right && i < cells; ++i) {
        if (m->count[i] == 0) {
            m->holes = true;
            continue;
        }
        m->mean[i] /= (double)m->count[i];
        m->low = fmin(m->low, m->mean[i]);
        m->high = fmax(m->high, m->mean[i]);
    }
    m->logarithmic = m->low > 0 && m->high > 20 * m->low;
    return right;
}

/* Ticks in the middle of cells, as many as there is space for. */
static void add_cells(ticks *t, const sweep_parameter *p, const answers_classes *c, double each, bool across,
                      char label[LABEL])
{
    double largest = 0, smallest = (double)INFINITY, widest = 0;
    char text[ANSWERS_TEXT];
    for (size_t i = 0; i < c->count; ++i) {
        const double size = fabs(answers_class_value(c, i));
        largest = fmax(largest, size);
        if (size > 0) smallest = fmin(smallest, size);
    }
    const bool wide = largest > 1e5 * smallest; /* one unit does not suit all */
    const answers_unit unit = answers_unit_for(p->words || wide ? "1" : p->unit,
                                               largest > 1000 * smallest ? sqrt(largest) * sqrt(smallest) : largest);
    if (wide && !p->words)
        snprintf(label, LABEL, "%s", p->name);
    else
        label_of(label, p->name, &unit);
    for (int pass = 0; pass < 2; ++pass) {
        const double needed = across ? widest + 8 : 16;
        const size_t step = (size_t)fmax(1, fmax(ceil(needed / each), ceil((double)c->count / (MARKS - 1))));
        for (size_t i = 0; i < c->count; i += pass == 0 ? 1 : step) {
            const double value = answers_class_value(c, i);
            if (p->words || wide)
                answers_value(text, p, value);
            else
                answers_digits(text, value / unit.factor, p->law == SWEEP_VALUES ? 6 : 3);
            shorten(text, across ? (size_t)fmax(8, each / letter - 1) : 14);
            widest = fmax(widest, width_of(text, letter));
            if (pass > 0) add_tick(t, (double)i + 0.5, text);
        }
    }
}

/* The part of the scale where a cell is. */
static double shade_of(const map *m, size_t at)
{
    if (m->logarithmic) return log(m->mean[at] / m->low) / log(m->high / m->low);
    return m->high > m->low ? (m->mean[at] - m->low) / (m->high - m->low) : 0.5;
}

static void write_cells(drawing *d, const map *m, double across, double up)
{
    char text[ANSWERS_TEXT];
    double widest = 0;
    if (m->x.count > NUMBERED || m->y.count > NUMBERED || up < 14) return;
    for (int pass = 0; pass < 2 && widest < across - 4; ++pass)
        for (size_t i = 0; i < m->x.count * m->y.count; ++i) {
            if (m->count[i] == 0) continue;
            answers_digits(text, m->mean[i] / d->unit.factor, 3);
            widest = fmax(widest, width_of(text, small_letter));
            if (pass == 0) continue;
            const size_t column = i % m->x.count, row = i / m->x.count;
            small_text(&d->svg, svg_x(&d->svg, (double)column + 0.5), svg_y(&d->svg, (double)row + 0.5) + 4, "middle",
                       svg_on_shade(shade_of(m, i)), text);
        }
}

static void paint_map(drawing *d, const map *m)
{
    const sweep_parameter *px = &d->parameter[d->picture->x], *py = &d->parameter[d->picture->y];
    const double plot = 540, height = 420;
    const double across = plot / (double)m->x.count, up = height / (double)m->y.count;
    char x_label[LABEL], y_label[LABEL], colour[8];
    ticks x = { .count = 0 }, y = { .count = 0 }, scale = { .count = 0 };
    double left = 60, right = 0;
    name_result(d, fmax(fabs(m->low), fabs(m->high)));
    add_cells(&x, px, &m->x, across, true, x_label);
    add_cells(&y, py, &m->y, up, false, y_label);
    const double low = m->low / d->unit.factor, high = m->high / d->unit.factor;
    if (m->logarithmic) {
        add_logarithmic(&scale, low, high);
        for (int i = 0; i < scale.count; ++i) scale.mark[i].at = log(scale.mark[i].at / low) / log(high / low);
    } else if (high - low > 1e-9 * fmax(fabs(low), fabs(high)))
        add_round(&scale, low, high, true);
    else
        add_number(&scale, 0.5, low);
    for (int i = 0; i < y.count; ++i) left = fmax(left, width_of(y.text[i], letter) + 24);
    for (int i = 0; i < scale.count; ++i) right = fmax(right, width_of(scale.text[i], letter) + 25);
    right = fmax(fmax(right, width_of(d->label, letter)), m->holes ? 90 : 0);
    begin(d, left + plot + 30 + right + 20, SVG_TOP + height + BELOW);
    svg_plot(
        &d->svg, left, left + plot,
        (svg_axis){ .label = x_label, .from = 0, .to = (double)m->x.count, .marks = x.mark, .mark_count = x.count },
        (svg_axis){ .from = 0, .to = (double)m->y.count, .marks = y.mark, .mark_count = y.count });
    svg_text(&d->svg, 20, d->svg.top - 14, "start", y_label);
    fputs("<g shape-rendering=\"crispEdges\">\n", d->file);
    for (size_t i = 0; i < m->x.count * m->y.count; ++i) {
        const size_t across = i % m->x.count, down = i / m->x.count;
        const double column = (double)across, row = (double)down;
        svg_shade(shade_of(m, i), colour);
        svg_box(&d->svg, column, row, column + 1, row + 1, m->count[i] > 0 ? colour : "#e0e0e0");
    }
    fputs("</g>\n", d->file);
    write_cells(d, m, across, up);
    svg_scale(&d->svg, left + plot + 30, d->label, scale.mark, scale.count);
    if (!m->holes) return;
    d->svg.legend_left = left + plot + 30;
    d->svg.legend = SVG_TOP + height + 20;
    svg_legend(&d->svg, SVG_AREA, "#e0e0e0", "no result");
}

static bool draw_map(drawing *d)
{
    map m;
    const sweep_picture *p = d->picture;
    memset(&m, 0, sizeof m);
    bool right = answers_classes_open(&d->parameter[p->x], ANSWERS_CLASSES, &m.x) &&
                 answers_classes_open(&d->parameter[p->y], ANSWERS_CLASSES, &m.y) && take_map(d, &m);
    if (right && m.low <= m.high)
        paint_map(d, &m);
    else if (right)
        right = draw_nothing(d);
    free(m.mean);
    free(m.count);
    answers_classes_close(&m.x);
    answers_classes_close(&m.y);
    return right;
}

/*=============================================================================
 * MARK: - >>tornados
 *===========================================================================*/
/* A bar from the mean of all points to that at an end of a parameter, with its value at `beside`. */
static void draw_end(drawing *d, double middle, double end, double beside, double top, double bottom,
                     const char *colour, const char *text, bool right)
{
    const double y = (svg_y(&d->svg, top) + svg_y(&d->svg, bottom)) / 2 + 4;
    svg_box(&d->svg, middle, top, end, bottom, colour);
    small_text(&d->svg, svg_x(&d->svg, beside) + (right ? 6 : -6), y, right ? "start" : "end", "black", text);
}

static void draw_effect(drawing *d, const answers *a, size_t row, double factor)
{
    const answers_effect *e = &a->effect[a->order[row]];
    const sweep_parameter *p = &d->parameter[e->parameter];
    const double at = (double)row, middle = a->overall / factor, low = e->low / factor, high = e->high / factor;
    const bool low_right = low > middle || (low >= middle && high < middle),
               high_right = high > middle || (high >= middle && !low_right);
    const double y = svg_y(&d->svg, at + 0.5), smallest = e->smallest / factor, largest = e->largest / factor;
    char text[ANSWERS_TEXT];
    value_of(text, p, e->low_value, 16);
    const bool apart = low_right != high_right; /* on both sides: bars as high as the row */
    draw_end(d, middle, low,
             !apart      ? low
             : low_right ? largest
                         : smallest,
             at + (apart ? 0.2 : 0.08), at + (apart ? 0.8 : 0.46), svg_colours[0], text, low_right);
    value_of(text, p, e->high_value, 16);
    draw_end(d, middle, high,
             !apart       ? high
             : high_right ? largest
                          : smallest,
             at + (apart ? 0.2 : 0.54), at + (apart ? 0.8 : 0.92), svg_colours[6], text, high_right);
    fprintf(d->file, "<path d=\"M%.1f %.1f H%.1f\" stroke=\"black\"/>\n", svg_x(&d->svg, smallest), y,
            svg_x(&d->svg, largest));
}

/* The index of a parameter as the picture shows it; NaN: it has none. */
static double shown_index(const answers_effect *e)
{
    return isnan(e->total.mean) ? e->first.mean : e->total.mean;
}

static void draw_index(const drawing *d, double x, size_t row, double value)
{
    char text[ANSWERS_TEXT];
    if (isnan(value)) return;
    snprintf(text, sizeof text, "%.3f", fabs(value) < 0.0005 ? 0.0 : value);
    svg_text(&d->svg, x, svg_y(&d->svg, (double)row + 0.5) + 4.5, "end", text);
}

static void paint_tornado(drawing *d, const answers *a)
{
    const size_t shown = a->parameters <= BARS ? a->parameters : BARS, rows = a->parameters > shown ? shown + 1 : shown;
    const double plot = 560, each = 38, indices = 110;
    double low = a->overall, high = low, left = 60, pad = 0, others = 0;
    char text[ANSWERS_TEXT], rest[32] = "";
    const char *names[BARS + 1];
    bool any = false, total = true;
    ticks t = { .count = 0 };
    for (size_t i = 0; i < shown; ++i) {
        const answers_effect *e = &a->effect[a->order[i]];
        names[i] = d->parameter[e->parameter].name;
        left = fmax(left, width_of(names[i], letter) + 24);
        low = fmin(low, e->smallest);
        high = fmax(high, e->largest);
        for (int end = 0; end < 2; ++end) {
            value_of(text, &d->parameter[e->parameter], end ? e->high_value : e->low_value, 16);
            pad = fmax(pad, width_of(text, small_letter) + 12);
        }
    }
    for (size_t i = 0; i < a->parameters; ++i) {
        any = any || !isnan(shown_index(&a->effect[i]));
        total = total && !isnan(a->effect[i].total.mean);
        if (i >= shown) others += shown_index(&a->effect[a->order[i]]);
    }
    if (rows > shown) {
        snprintf(rest, sizeof rest, "%lu others", (unsigned long)(a->parameters - shown));
        names[shown] = rest;
        left = fmax(left, width_of(rest, letter) + 24);
    }
    name_result(d, fmax(fabs(low), fabs(high)));
    const double factor = d->unit.factor;
    low /= factor;
    high /= factor;
    widen(&low, &high, false);
    const double more = (high - low) * pad / (plot - 2 * pad);
    add_round(&t, low - more, high + more, false);
    begin(d, left + plot + (any ? indices : 0) + 30, SVG_TOP + 26 + each * (double)rows + BELOW);
    d->svg.top += 26;
    d->svg.height -= 26;
    svg_plot(
        &d->svg, left, left + plot,
        (svg_axis){ .label = d->label, .from = low - more, .to = high + more, .marks = t.mark, .mark_count = t.count },
        (svg_axis){ .from = 0, .to = (double)rows, .rows = true, .names = names });
    for (size_t i = 0; i < shown; ++i) {
        draw_effect(d, a, i, factor);
        draw_index(d, left + plot + 100, i, shown_index(&a->effect[a->order[i]]));
    }
    if (rows > shown) draw_index(d, left + plot + 100, shown, others);
    fprintf(d->file, "<path d=\"M%.1f %.1f V%.1f\" stroke=\"black\" stroke-dasharray=\"3 3\"/>\n",
            svg_x(&d->svg, a->overall / factor), d->svg.top, d->svg.top + d->svg.height);
    if (any) svg_text(&d->svg, left + plot + 100, d->svg.top - 10, "end", total ? "total index" : "first order");
    static const char *const legend[] = { "lowest value", "highest value" };
    for (int i = 0; i < 2; ++i) {
        d->svg.legend_left = left + i * 130;
        d->svg.legend = 58;
        svg_legend(&d->svg, SVG_AREA, svg_colours[i > 0 ? 6 : 0], legend[i]);
    }
    d->svg.legend_left = left + 2 * 130;
    d->svg.legend = 58;
    fprintf(d->file, "<path d=\"M%.1f 58 h18\" stroke=\"black\"/>\n", d->svg.legend_left);
    svg_text(&d->svg, d->svg.legend_left + 26, 62.5, "start", "means over all its values");
}

static bool draw_tornado(drawing *d)
{
    answers a;
    if (!answers_open(d->s, d->picture->result, &a)) return false;
    if (a.with > 0)
        paint_tornado(d, &a);
    else
        draw_nothing(d);
    answers_close(&a);
    return true;
}

/*=============================================================================
 * MARK: - >>all of them
 *===========================================================================*/
static char *make_path(const sweep *s, const char *folder, const char *picture, const char *end)
{
    const char *results = sweep_path(s), *slash = strrchr(results, '/'), *base = slash ? slash + 1 : results;
    const size_t all = strlen(base), length = all > 4 && strcmp(base + all - 4, ".csv") == 0 ? all - 4 : all;
    const size_t size = strlen(folder) + length + strlen(picture) + strlen(end) + 8;
    char *path = (char *)malloc(size);
    if (path) snprintf(path, size, "%s/%.*s-%s.svg%s", folder, (int)length, base, picture, end);
    return path;
}

static bool draw(const sweep *s, const sweep_picture *picture, FILE *file)
{
    drawing d;
    memset(&d, 0, sizeof d);
    d.s = s;
    d.picture = picture;
    d.file = file;
    d.result = &sweep_model_of(s)->results[picture->result];
    d.parameter = sweep_parameters(s, &d.parameters);
    name_result(&d, 0);
    return picture->kind == SWEEP_LINES ? draw_lines(&d) : picture->kind == SWEEP_MAP ? draw_map(&d) : draw_tornado(&d);
}

static bool draw_file(const sweep *s, const sweep_picture *picture, const char *path, const char *part, char *why)
{
    FILE *file = fopen(part, "w");
    bool right = file != NULL;
    errno = file ? 0 : errno;
    if (right && !draw(s, picture, file)) {
        fclose(file);
        remove(part);
        snprintf(why, SWEEP_WHY, "%s", no_memory);
        return false;
    }
    if (right) {
        svg v = { .file = file };
        right = svg_close(&v) && rename(part, path) == 0;
    }
    if (right) return true;
    snprintf(why, SWEEP_WHY, "%.300s: %s", part, strerror(errno ? errno : EIO));
    if (file) remove(part);
    return false;
}

static bool draw_one(const sweep *s, const sweep_picture *picture, const char *folder,
                     void (*call)(void *user, const char *path), void *user, char *why)
{
    char *path = make_path(s, folder, picture->name, ""), *part = make_path(s, folder, picture->name, ".part");
    bool right = path && part;
    if (!right) snprintf(why, SWEEP_WHY, "%s", no_memory);
    right = right && draw_file(s, picture, path, part, why);
    if (right && call) call(user, path);
    free(path);
    free(part);
    return right;
}

/* What is drawn if the file asks for nothing. */
static size_t usual_pictures(const sweep *s, sweep_picture picture[2])
{
    size_t parameters, x = 0;
    const sweep_parameter *p = sweep_parameters(s, &parameters);
    for (int i = 0; i < 2; ++i) {
        memset(&picture[i], 0, sizeof picture[i]);
        picture[i].result = sweep_watched(s);
        picture[i].x = picture[i].y = SIZE_MAX;
    }
    picture[0].kind = parameters > 2 ? SWEEP_TORNADO : SWEEP_LINES;
    strcpy(picture[0].name, parameters > 2 ? "tornado" : "lines");
    if (parameters > 2) return 1;
    while (x + 1 < parameters && (p[x].words || (p[x].count > 0 && p[1 - x].count == 0 && !p[1 - x].words))) ++x;
    picture[0].x = x;
    if (parameters < 2) return 1;
    picture[0].y = p[1 - x].count > 0 ? 1 - x : SIZE_MAX;
    picture[1].kind = SWEEP_MAP;
    strcpy(picture[1].name, "map");
    picture[1].x = x;
    picture[1].y = 1 - x;
    return 2;
}

bool pictures_draw(const sweep *s, const char *folder, void (*call)(void *user, const char *path), void *user,
                   char *why)
{
    sweep_picture usual[2];
    size_t count;
    const sweep_picture *picture = sweep_pictures(s, &count);
    if (count == 0) {
        picture = usual;
        count = usual_pictures(s, usual);
    }
    for (size_t i = 0; i < count; ++i)
        if (!draw_one(s, &picture[i], folder, call, user, why)) return false;
    return true;
}
