/* One process sends, the other receives: how long does the program take by each way of sending, and which line takes it?
 * cc -O2 -DNETMODEL_STATIC -I. examples/timing_graph.c -o timing_graph -lm && ./timing_graph        (--svg FILE draws it)
 *
 * The program of the DP*Graph paper. Lines through its measurements (tests/published) predict; the seconds of code are ours. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"
#include "svg.h"

enum { MODES = 4, SIZES = 7, STEPS = 3 };
static const char *const names[MODES] = { "standard", "buffered", "ready", "synchronous" };
static netmodel_message messages[MODES];
static netmodel_mode modes[MODES];

typedef struct prediction {
    netmodel_timing_total total;
    netmodel_timing_sum sum[2];
    netmodel_timing_span span[2 * STEPS]; /* the sender's, then the receiver's */
    netmodel_timing_line line[STEPS];     /* of the slower one */
    size_t lines;
} prediction;

/* The lines of table 2: mode, side, seven times. Both sides began at once, so the receiver's time has the sender's in it. */
static int read_modes(void)
{
    FILE *file = fopen("tests/published/dpgraph_table2.csv", "r");
    char mode[16], side[16];
    double n[SIZES], t[SIZES];
    netmodel_fit fit;
    if (!file) return 0;
    for (int i = 0; i < SIZES; ++i)
        if (fscanf(file, i == 0 ? "mode,side,n%lf" : ",n%lf", &n[i]) != 1) return 0;
    const netmodel_points points = { n, t, SIZES, NETMODEL_ERROR_ABSOLUTE };
    while (fscanf(file, " %15[a-z],%15[a-z],%lf,%lf,%lf,%lf,%lf,%lf,%lf", mode, side, t, t + 1, t + 2, t + 3, t + 4,
                  t + 5, t + 6) == 2 + SIZES)
        for (int i = 0; i < MODES; ++i) {
            if (strcmp(mode, names[i]) != 0) continue;
            if (netmodel_fit_line(&points, &fit, NULL) != NETMODEL_OK) return 0;
            *(*side == 's' ? &messages[i].send : &messages[i].receive) =
                (netmodel_delay){ .kind = NETMODEL_DELAY_LINE, .line = fit.line };
            modes[i] = (netmodel_mode){ { .fallback = &messages[i] }, i == NETMODEL_MODE_SYNCHRONOUS, true };
        }
    return fclose(file) == 0;
}
//! [graph]
static netmodel_segment sender[STEPS] = { { NETMODEL_SEGMENT_CODE, .seconds = 0.2, .line = 12 },
                                          { NETMODEL_SEGMENT_SEND, .peer = 1, .size = 500000, .line = 14 },
                                          { NETMODEL_SEGMENT_CODE, .seconds = 0.3, .line = 16 } };
static netmodel_segment receiver[STEPS] = { { NETMODEL_SEGMENT_CODE, .line = 22 },
                                            { NETMODEL_SEGMENT_RECEIVE, .peer = 0, .line = 24 },
                                            { NETMODEL_SEGMENT_CODE, .seconds = 0.1, .line = 26 } };

static int predict(size_t mode, double receiver_code, prediction *p)
{
    const netmodel_timing_node node[] = { { sender, STEPS }, { receiver, STEPS } };
    const netmodel_timing graph = { node, 2, modes, MODES };
    size_t scratch[2 * STEPS + 2 * 2];
    sender[1].mode = mode, receiver[0].seconds = receiver_code;
    return !netmodel_timing_predict(&graph, scratch, p->sum, p->span, &p->total, NULL) &&
           !netmodel_timing_lines(&graph, p->sum, p->span, p->total.node, p->line, &p->lines);
}
//! [graph]

static const char program[] = "pair.c   node 0                      pair.c   node 1\n"
                              "  12     code, 0.2 s                   22     code, 0.05 s or 0.35 s\n"
                              "  14     send 500 000 integers         24     receive\n"
                              "  16     code, 0.3 s                   26     code, 0.1 s\n\n";

/* A bar for each node, 50 columns a second, and what the slower one does with its time. */
static void print_program(const char *title, const prediction *p)
{
    printf("\n%s", title);
    for (size_t i = 0; i < 2 * STEPS; ++i) {
        const netmodel_timing_span *s = &p->span[i];
        if (i % STEPS == 0) printf("\n  node %zu, %.3f s |", i / STEPS, p->sum[i / STEPS].time);
        for (int column = (int)(50 * s->begin + 0.5); column < (int)(50 * s->end + 0.5); ++column)
            putchar(s->partner == i ? '#' : column < (int)(50 * s->ready + 0.5) ? '.' : "sr"[i / STEPS]);
    }
    printf("\n");
    for (size_t i = 0; i < p->lines; ++i)
        printf("  %3.0f %% of the time of node %zu is in line %d: works %.3f s, waits %.3f s\n", 100 * p->line[i].part,
               p->total.node, p->line[i].line, p->line[i].working, p->line[i].waiting);
}

/* Two programs, a row for each node. */
static bool draw(const char *path, const prediction *early, const prediction *late)
{
    static const char *const row[] = { "standard: node 0", "node 1", "synchronous: node 0", "node 1" };
    static const char *const what[] = { "code", "sends", "receives", "waits" };
    svg s;
    svg_open(&s, path, "Standard: the receiver waits.  Synchronous: the sender waits", 860, 320);
    svg_plot(&s, 160, 660, (svg_axis){ .label = "time [s]", .to = 1 },
             (svg_axis){ .rows = true, .to = 4, .names = row });
    for (size_t i = 0; i < 4 * STEPS; ++i) {
        const netmodel_timing_span *span = &(i < 2 * STEPS ? early : late)->span[i % (2 * STEPS)];
        const double low = (double)(i - i % STEPS) / STEPS + 0.2, high = low + 0.6;
        svg_box(&s, span->begin, low, span->ready, high, svg_colours[SVG_COLOURS - 1]);
        svg_box(&s, span->ready, low, span->end, high,
                svg_colours[span->partner == i % (2 * STEPS) ? 0 : 1 + i / STEPS % 2]);
    }
    for (int i = 0; i < 4; ++i) svg_legend(&s, SVG_AREA, svg_colours[i < 3 ? i : SVG_COLOURS - 1], what[i]);
    return svg_close(&s);
}

int main(int argc, char **argv)
{
    static prediction early[MODES], late[MODES];
    if (!read_modes()) return perror("timing_graph: its data, tests/published from the top of the project"), 1;
    printf("%s             receiver first: program, waiting    sender first: program, waiting\n", program);
    for (size_t i = 0; i < MODES; ++i) {
        if (!predict(i, 0.05, &early[i]) || !predict(i, 0.35, &late[i])) return 1;
        printf("%-11s %16.3f s %8.3f s", names[i], early[i].total.time, early[i].sum[1].waiting);
        printf(i == NETMODEL_MODE_READY ? "       not allowed without a receive\n" : "%19.3f s %8.3f s\n",
               late[i].total.time, late[i].sum[0].waiting);
    }
    print_program("standard, the receiver comes first", &early[NETMODEL_MODE_STANDARD]);
    print_program("synchronous, the sender comes first", &late[NETMODEL_MODE_SYNCHRONOUS]);
    puts("\n  # code   . waits   s sends   r receives");
    return !draw(svg_asked(argc, argv), &early[NETMODEL_MODE_STANDARD], &late[NETMODEL_MODE_SYNCHRONOUS]);
}
