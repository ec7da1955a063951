/* message.c - A message: where do small messages turn into large ones? */
#include "module.h"

#include "netmodel.h"

#include "../svg.h"

enum { LATENCY, BANDWIDTH, SIZE, MESSAGES, CONTROLS };

static const module_control controls[CONTROLS] = {
    { "latency", "Latency l", MODULE_QUANTITY, "s", "60 us", 1e-7, 1, true, NULL, NULL },
    { "bandwidth", "Bandwidth b", MODULE_QUANTITY, "B/s", "12.5 MB/s", 1e3, 1e11, true, NULL, NULL },
    { "size", "Data to send s", MODULE_QUANTITY, "B", "1500 B", 1, 1e9, true, NULL, NULL },
    { "messages", "In how many messages k", MODULE_WHOLE, "messages", "1", 1, 10000, true, NULL, NULL },
};

/*=============================================================================
 * MARK: - >>time
 *===========================================================================*/

/* Data that are sent in equal messages, one after another. */
typedef struct sending {
    netmodel_link link;
    double latency, bandwidth; /* [s] [B/s] */
    double bytes, count;       /* of the data [B]; number of messages */
    double seconds;            /* of all messages [s] */
    double half;               /* size of a message that uses half of the bandwidth [B] */
    double used;               /* bandwidth [B/s] */
    double waits;              /* part of the time that is latency [1] */
} sending;

static sending message__sending(const double *v)
{
    const double bytes = v[SIZE], count = v[MESSAGES];
    const netmodel_link link = netmodel_link_of(v[LATENCY], v[BANDWIDTH]);
    const double seconds = count * netmodel_link_time(&link, bytes / count);
    return (sending){ .link = link,
                      .latency = v[LATENCY],
                      .bandwidth = v[BANDWIDTH],
                      .bytes = bytes,
                      .count = count,
                      .seconds = seconds,
                      .half = link.latency / link.byte_time,
                      .used = bytes / seconds,
                      .waits = count * v[LATENCY] / seconds };
}

/*=============================================================================
 * MARK: - >>picture and data
 *===========================================================================*/

enum { STEPS = 90 };
static const double smallest = 1, largest = 1e9; /* of the picture [B] */

/* Gives size number i of the picture: there are three to a factor of two. */
static double message__size_of(int i)
{
    return smallest * pow(largest / smallest, (double)i / STEPS);
}

static bool message__write_data(const module_run *run, const netmodel_link *link, module_answer *a)
{
    FILE *file = module_open(run, "data.csv", a);
    if (!file) return false;
    fprintf(file, "bytes [B],time [s],bandwidth [B/s]\n");
    for (double bytes = 1; bytes <= 1 << 30; bytes *= 2)
        fprintf(file, "%.17g,%.17g,%.17g\n", bytes, netmodel_link_time(link, bytes),
                bytes / netmodel_link_time(link, bytes));
    return module_close(file, "data.csv", a);
}

/* Draws the time by size on the left, and the part of the bandwidth that is used on the right. */
static bool message__draw(const module_run *run, const sending *m)
{
    const netmodel_link *link = &m->link;
    const double bytes = m->bytes, seconds = m->seconds, half = m->half,
                 fastest = pow(10, floor(log10(netmodel_link_time(link, smallest)))),
                 slowest = pow(10, ceil(log10(fmax(netmodel_link_time(link, largest), seconds))));
    char path[512], data[MODULE_TEXT], time[MODULE_TEXT], title[120];
    svg s;

    snprintf(title, sizeof title, "%s take %s", module_text(bytes, "B", data), module_text(seconds, "s", time));
    svg_open(&s, module_path(run, "picture.svg", path), title, 1000, 400);
    s.legend_left = 850;
    svg_plot(&s, 80, 430, (svg_axis){ .label = "data", .from = smallest, .to = largest, .unit = "B" },
             (svg_axis){ .label = "time", .from = fastest, .to = slowest, .unit = "s" });
    svg_begin(&s, SVG_LINE, svg_colours[0], "one message");
    for (int i = 0; i <= STEPS; ++i) svg_at(&s, message__size_of(i), netmodel_link_time(link, message__size_of(i)));
    svg_end(&s);
    svg_begin(&s, SVG_DASHED, svg_colours[1], "latency alone");
    svg_at(&s, smallest, fmax(link->latency, fastest));
    svg_at(&s, largest, fmax(link->latency, fastest));
    svg_end(&s);
    svg_begin(&s, SVG_DASHED, svg_colours[2], "bandwidth alone");
    svg_at(&s, fmin(fmax(fastest / link->byte_time, smallest), largest),
           fmax(fmax(fastest, smallest * link->byte_time), fastest));
    svg_at(&s, largest, fmax(largest * link->byte_time, fastest));
    svg_end(&s);
    svg_begin(&s, SVG_POINTS, svg_colours[5], "these data");
    svg_at(&s, bytes, seconds);
    svg_end(&s);

    svg_plot(&s, 500, 820, (svg_axis){ .label = "size of a message", .from = smallest, .to = largest, .unit = "B" },
             (svg_axis){ .label = "part of the bandwidth [%]", .from = 0, .to = 100 });
    svg_begin(&s, SVG_LINE, svg_colours[0], NULL);
    for (int i = 0; i <= STEPS; ++i)
        svg_at(&s, message__size_of(i),
               100 * message__size_of(i) * link->byte_time / netmodel_link_time(link, message__size_of(i)));
    svg_end(&s);
    if (half > smallest && half < largest) {
        svg_begin(&s, SVG_DASHED, svg_colours[6], "half of it");
        svg_at(&s, smallest, 50);
        svg_at(&s, half, 50);
        svg_at(&s, half, 0);
        svg_end(&s);
    }
    svg_begin(&s, SVG_POINTS, svg_colours[5], NULL);
    svg_at(&s, fmax(bytes / m->count, smallest), 100 * bytes * link->byte_time / seconds);
    svg_end(&s);
    return svg_close(&s);
}

/*=============================================================================
 * MARK: - >>answer
 *===========================================================================*/

/* Adds the formula and the numbers. */
static void message__add_numbers(const sending *m, module_answer *a)
{
    const char *const l = module_word(a, m->latency, "s"), *const b = module_word(a, m->bandwidth, "B/s"),
                      *const data = module_word(a, m->bytes, "B"), *const t = module_word(a, m->seconds, "s"),
                      *const h = module_word(a, m->half, "B");
    if (m->count > 1)
        snprintf(a->formula, sizeof a->formula,
                 "T = k l + s / b = %.0f x %s + %s / (%s) = %s\nn_1/2 = l b = %s x %s = %s", m->count, l, data, b, t, l,
                 b, h);
    else
        snprintf(a->formula, sizeof a->formula, "T = l + s / b = %s + %s / (%s) = %s\nn_1/2 = l b = %s x %s = %s", l,
                 data, b, t, l, b, h);
    module_add(a, "time", "s", m->seconds, "Time T");
    module_add(a, "latency_part", "%", m->waits, "Part of it that is latency");
    module_add(a, "half", "B", m->half, "Half-performance size n_1/2");
    module_add(a, "used", "B/s", m->used, "Bandwidth reached s / T");
    module_add(a, "merged", "%", 1 - netmodel_link_time(&m->link, m->bytes) / m->seconds,
               "Saved if it were one message");
}

/* Gives the three sentences, and describes the picture. */
static void message__explain(const sending *m, module_answer *a)
{
    const char *const l = module_word(a, m->latency, "s"), *const b = module_word(a, m->bandwidth, "B/s"),
                      *const h = module_word(a, m->half, "B");
    const double each = m->bytes / m->count;
    module_because(
        a, 0, "Each message waits for the latency of %s once, however small it is; then its bytes follow at %s.", l, b);
    module_because(a, 1,
                   "A message of %s spends half of its time on each: below that size the latency decides, above it the "
                   "bandwidth.",
                   h);
    module_because(
        a, 2,
        "%s %s: %s of the bandwidth is used. Half of the latency would save %s of the time, twice the bandwidth "
        "%s.",
        m->count > 1 ? "Your messages are" : "Your message is",
        fabs(each / m->half - 1) < 1e-9 ? "of just this size"
        : each < m->half                ? "small"
                                        : "large",
        module_word(a, m->used / m->bandwidth, "%"), module_word(a, m->waits / 2, "%"),
        module_word(a, (1 - m->waits) / 2, "%"));
    module_show(
        a, "picture.svg",
        "Two plots. Left: the time of a message over its size, flat at %s for small ones, then a straight line of "
        "%s. Right: the part of the bandwidth that a message uses, from 0 to 100 %%, half of it at %s.",
        l, b, h);
}

static bool message__answer(const module_run *run, module_answer *a)
{
    const module_values *values = run->values;
    const sending m = message__sending(values->value);
    if (m.bytes < m.count)
        return module_fail(
            a, "%s cannot be sent in %.0f messages, since each has at least 1 B: send more, or fewer messages",
            module_word(a, m.bytes, "B"), m.count);
    if (!message__draw(run, &m)) return module_fail(a, "cannot write the picture");
    if (!message__write_data(run, &m.link, a)) return false;
    if (!module_write_machine(run, values->text[LATENCY], values->text[BANDWIDTH], NULL, 0, a)) return false;
    message__add_numbers(&m, a);
    message__explain(&m, a);
    return true;
}

const module module_message = { "message", controls, CONTROLS, true, message__answer, NULL, NULL };
