/* Plots for the lessons, as SVG: axes with ticks and units, lines, areas, points and bars, and a legend. A program opens a
 * picture, puts plots into it, and closes it. */
#ifndef SVG_H
#define SVG_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SVG_TOP = 72, SVG_COLOURS = 8 };

static const char *const svg_colours[SVG_COLOURS] = { "#4477aa", "#ee6677", "#228833", "#ccbb44",
                                                      "#66ccee", "#aa3377", "#ee7733", "#777777" };

typedef enum svg_style { SVG_LINE, SVG_DASHED, SVG_WIDE, SVG_AREA, SVG_BAND, SVG_POINTS } svg_style;

/* A tick of its own on an axis. */
typedef struct svg_mark {
    double at;
    const char *text;
} svg_mark;

typedef struct svg_axis {
    const char *label;        /* what it shows, and for a linear axis its unit: "time [s]" */
    double from, to;          /* ends */
    const char *unit;         /* not NULL: the axis is logarithmic, and this stands behind its numbers: "s" */
    bool rows;                /* the axis is of rows 0..to from the top, without numbers */
    const char *const *names; /* their names; NULL: none */
    const svg_mark *marks;    /* marks[mark_count]: ticks instead of those at round numbers; NULL: round numbers */
    int mark_count;
} svg_axis;

typedef struct svg {
    FILE *file; /* NULL: nothing is drawn */
    bool failed;
    svg_axis x, y;
    double left, top, width, height; /* of the plot [px] */
    double legend;                   /* where its next line is [px] */
    double legend_left;
    svg_style style; /* of what is between svg_begin() and svg_end() */
    const char *colour;
} svg;

static inline double svg_part(const svg_axis *axis, double value)
{
    return axis->unit ? log(value / axis->from) / log(axis->to / axis->from)
                      : (value - axis->from) / (axis->to - axis->from);
}

static inline double svg_x(const svg *s, double x)
{
    return s->left + s->width * svg_part(&s->x, x);
}

static inline double svg_y(const svg *s, double y)
{
    const double part = svg_part(&s->y, y);
    return s->top + s->height * (s->y.rows ? part : 1 - part);
}

/* `anchor`: start, middle or end. */
static inline void svg_text(const svg *s, double x, double y, const char *anchor, const char *text)
{
    if (!s->file) return;
    fprintf(s->file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    for (; *text; ++text) {
        const char *entity = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : NULL;
        if (entity)
            fputs(entity, s->file);
        else
            fputc(*text, s->file);
    }
    fputs("</text>\n", s->file);
}

/* The file that the arguments ask for with --svg FILE, or NULL. */
static inline const char *svg_asked(int argc, char **argv)
{
    return argc == 3 && strcmp(argv[1], "--svg") == 0 ? argv[2] : NULL;
}

/* A picture of so many pixels in a file that is open. */
static inline void svg_start(svg *s, FILE *file, const char *title, double width, double height)
{
    memset(s, 0, sizeof *s);
    s->file = file;
    s->top = SVG_TOP;
    s->height = height - SVG_TOP - 56;
    fprintf(s->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"white\"/>\n"
            "<g font-size=\"18\">\n",
            width, height, width, height, width, height);
    svg_text(s, 20, 30, "start", title);
    fputs("</g>\n", s->file);
    s->legend_left = width - 170;
    s->legend = SVG_TOP + 8;
}

/* A picture of so many pixels; without a path, nothing is drawn. */
static inline void svg_open(svg *s, const char *path, const char *title, double width, double height)
{
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        svg_start(s, file, title, width, height);
        return;
    }
    memset(s, 0, sizeof *s);
    s->failed = path != NULL;
    if (path) perror(path);
}

static inline void svg_tick_text(const svg *s, const svg_axis *axis, double value, const char *text)
{
    const double x = svg_x(s, value), y = svg_y(s, value);
    if (axis == &s->x) {
        fprintf(s->file, "<path d=\"M%.1f %g V%.1f\" stroke=\"#dddddd\"/>\n", x, s->top, s->top + s->height + 5);
        svg_text(s, x, s->top + s->height + 20, "middle", text);
    } else {
        fprintf(s->file, "<path d=\"M%.1f %.1f H%.1f\" stroke=\"#dddddd\"/>\n", s->left - 5, y, s->left + s->width);
        svg_text(s, s->left - 9, y + 4.5, "end", text);
    }
}

static inline void svg_tick(const svg *s, const svg_axis *axis, double value)
{
    static const char prefixes[][4] = { "n", "\xC2\xB5", "m", "", "k", "M", "G" };
    char text[48];
    int prefix = 3;
    double number = value;
    for (; axis->unit && number >= 999.5 && prefix < 6; ++prefix) number /= 1000;
    for (; axis->unit && number < 0.9995 && prefix > 0; --prefix) number *= 1000;
    snprintf(text, sizeof text, "%.6g%s%s%s", number, axis->unit ? " " : "", axis->unit ? prefixes[prefix] : "",
             axis->unit ? axis->unit : "");
    svg_tick_text(s, axis, value, text);
}

static inline void svg_ticks(const svg *s, const svg_axis *axis)
{
    const double range = axis->to - axis->from, ten = pow(10, floor(log10(range / 4)));
    const double step = range / ten >= 20 ? 5 * ten : range / ten >= 8 ? 2 * ten : ten;
    if (axis->marks) {
        for (int i = 0; i < axis->mark_count; ++i) svg_tick_text(s, axis, axis->marks[i].at, axis->marks[i].text);
    } else if (axis->rows) {
        for (int i = 0; axis->names && i < range; ++i)
            svg_text(s, s->left - 9, svg_y(s, axis->from + i + 0.5) + 4.5, "end", axis->names[i]);
    } else if (axis->unit) { /* "100 kB" has 46 px */
        const double decades = log10(axis->to / axis->from), room = axis == &s->x ? 50 : 18;
        const double size = axis == &s->x ? s->width : s->height, each = fmax(ceil(room * decades / size - 1e-9), 1);
        for (double value = pow(10, ceil(log10(axis->from) - 1e-9)); value <= axis->to * (1 + 1e-9);
             value *= pow(10, each))
            svg_tick(s, axis, value);
    } else {
        for (int i = (int)ceil(axis->from / step - 1e-9); i * step <= axis->to + 1e-9 * range; ++i)
            svg_tick(s, axis, i * step);
    }
}

/* A plot between two places from the left, with its axes. */
static inline void svg_plot(svg *s, double left, double right, svg_axis x, svg_axis y)
{
    if (!s->file) return;
    s->left = left;
    s->width = right - left;
    s->x = x;
    s->y = y;
    svg_ticks(s, &s->x);
    svg_ticks(s, &s->y);
    fprintf(s->file, "<path d=\"M%.1f %g V%.1f H%.1f\" fill=\"none\" stroke=\"black\"/>\n", left, s->top,
            s->top + s->height, right);
    svg_text(s, left + s->width / 2, s->top + s->height + 42, "middle", x.label);
    if (y.label) svg_text(s, left - 9, s->top - 12, "middle", y.label);
}

/* A line of the legend. */
static inline void svg_legend(svg *s, svg_style style, const char *colour, const char *name)
{
    const double x = s->legend_left, y = s->legend;
    if (!s->file) return;
    if (style == SVG_POINTS)
        fprintf(s->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", x + 9, y, colour);
    else if (style == SVG_AREA || style == SVG_BAND)
        fprintf(s->file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"18\" height=\"12\" fill=\"%s\" opacity=\"%g\"/>\n", x,
                y - 6, colour, style == SVG_BAND ? 0.3 : 1);
    else
        fprintf(s->file, "<path d=\"M%.1f %.1f h18\" stroke=\"%s\" stroke-width=\"%d\"%s/>\n", x, y, colour,
                style == SVG_WIDE ? 7 : 2, style == SVG_DASHED ? " stroke-dasharray=\"5 4\"" : "");
    svg_text(s, x + 26, y + 4.5, "start", name);
    s->legend += 22;
}

/* Begins a line, an area or points, with an entry in the legend; svg_at() adds a point of it. */
static inline void svg_begin(svg *s, svg_style style, const char *colour, const char *name)
{
    if (!s->file) return;
    if (name) svg_legend(s, style, colour, name);
    s->style = style;
    s->colour = colour;
    if (style == SVG_AREA || style == SVG_BAND)
        fprintf(s->file, "<polygon fill=\"%s\" opacity=\"%g\" points=\"", colour, style == SVG_BAND ? 0.3 : 1);
    else if (style != SVG_POINTS)
        fprintf(s->file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%d\"%s points=\"", colour,
                style == SVG_WIDE ? 7 : 2, style == SVG_DASHED ? " stroke-dasharray=\"5 4\"" : "");
}

static inline void svg_at(const svg *s, double x, double y)
{
    if (!s->file) return;
    fprintf(s->file, s->style == SVG_POINTS ? "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n" : "%.1f,%.1f ",
            svg_x(s, x), svg_y(s, y), s->colour);
}

static inline void svg_end(const svg *s)
{
    if (s->file && s->style != SVG_POINTS) fputs("\"/>\n", s->file);
}

/* A box from one corner to another. */
static inline void svg_box(const svg *s, double x, double y, double to_x, double to_y, const char *colour)
{
    const double left = svg_x(s, x), right = svg_x(s, to_x), one = svg_y(s, y), other = svg_y(s, to_y);
    if (!s->file) return;
    fprintf(s->file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", fmin(left, right),
            fmin(one, other), fabs(right - left), fabs(other - one), colour);
}

/* A row for each value: a bar, a black interval from low[i] to high[i] if they are given, and the number. */
static inline void svg_bars(const svg *s, int count, const double *values, const double *low, const double *high,
                            const char *format, const char *colour)
{
    for (int i = 0; i < count && s->file; ++i) {
        char text[32];
        snprintf(text, sizeof text, format, values[i]);
        svg_box(s, 0, i + 0.2, values[i], i + 0.8, colour);
        if (low) svg_box(s, low[i], i + 0.47, high[i], i + 0.53, "black");
        svg_text(s, svg_x(s, high ? high[i] : values[i]) + 6, svg_y(s, i + 0.5) + 4.5, "start", text);
    }
}

/* A colour of a scale: dark blue at 0, green, yellow at 1. Equal steps look equal, also in grey: lightness L* of CIE 1976 is
 * 18 + 72 part, at nine anchors of hue 300 to 100 degrees, with as much chroma, up to 62, as sRGB has there. */
static inline void svg_shade(double part, char colour[8])
{
    static const unsigned char anchors[9][3] = { { 10, 31, 124 },  { 0, 65, 116 },    { 0, 91, 126 },
                                                 { 3, 117, 138 },  { 5, 144, 147 },   { 2, 172, 144 },
                                                 { 69, 200, 117 }, { 164, 217, 102 }, { 243, 229, 105 } };
    const double at = 8 * fmin(fmax(part, 0), 1);
    const int low = at < 8 ? (int)at : 7;
    unsigned rgb[3];
    for (int i = 0; i < 3; ++i)
        rgb[i] = (unsigned)(anchors[low][i] + (anchors[low + 1][i] - anchors[low][i]) * (at - low) + 0.5) & 255u;
    snprintf(colour, 8, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

/* Text on such a colour: what can be read there. */
static inline const char *svg_on_shade(double part)
{
    return part < 0.55 ? "white" : "black";
}

/* The scale of such colours beside the plot, from bottom to top, with the marks of an axis from 0 to 1. */
static inline void svg_scale(const svg *s, double left, const char *label, const svg_mark *marks, int count)
{
    enum { STEPS = 64 };
    char colour[8];
    if (!s->file) return;
    for (int i = 0; i < STEPS; ++i) {
        svg_shade((i + 0.5) / STEPS, colour);
        fprintf(s->file, "<rect x=\"%.1f\" y=\"%.2f\" width=\"16\" height=\"%.2f\" fill=\"%s\"/>\n", left,
                s->top + s->height * (STEPS - 1 - i) / STEPS, s->height / STEPS + (i > 0 ? 0.5 : 0), colour);
    }
    for (int i = 0; i < count; ++i) {
        const double y = s->top + s->height * (1 - marks[i].at);
        fprintf(s->file, "<path d=\"M%.1f %.1f h5\" stroke=\"black\"/>\n", left + 16, y);
        svg_text(s, left + 25, y + 4.5, "start", marks[i].text);
    }
    svg_text(s, left, s->top - 12, "start", label);
}

/* Whether all of it was written, or nobody asked. */
static inline bool svg_close(svg *s)
{
    if (!s->file) return !s->failed;
    fputs("</svg>\n", s->file);
    const bool written = !ferror(s->file);
    return fclose(s->file) == 0 && written;
}

#endif
