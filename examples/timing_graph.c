/* A program on four nodes: which line of its source takes the time, and would another send mode help?
 * cc -O2 -I. examples/timing_graph.c -o timing_graph -lm && ./timing_graph        (--svg FILE draws it for a slide)
 *
 * A timing graph is the program without its data: on every node the segments of code and the messages between them, each
 * with its source line. Node 0 hands out rows, all compute, neighbours exchange a border twice, node 0 collects. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"

#include <stdio.h>
#include <string.h>

enum { NODES = 4, MOST = 32, COLUMNS = 64 };

static const double rows = 250000, border = 50000; /* elements */
static const netmodel_line standard = { 4.1e-7, 1e-4 }, buffered = { 0.7e-7, 1e-4 },
                           receiving = { 4.7e-7, 1e-4 }; /* [s] */

static netmodel_segment segments[NODES][MOST];
static netmodel_segment_time times[NODES][MOST];
static netmodel_timeline nodes[NODES];

static netmodel_segment *add(size_t node, netmodel_segment_kind kind, unsigned line, double seconds)
{
    netmodel_segment *x = &segments[node][nodes[node].count++];
    *x = (netmodel_segment){ .kind = kind, .seconds = seconds, .file = "rows.c", .line = line };
    return x;
}

//! [message]
static void message(size_t from, size_t to, double n, const netmodel_line *sending, unsigned send, unsigned receive)
{
    add(from, NETMODEL_SEND, send, netmodel_line_time(sending, n))->peer = to;
    add(to, NETMODEL_RECEIVE, receive, netmodel_line_time(&receiving, n))->peer = from;
}
//! [message]

/* The program; node 2 is half as fast as the others. */
static void build(const netmodel_line *sending)
{
    for (size_t i = 0; i < NODES; i++) nodes[i] = (netmodel_timeline){ segments[i], times[i], 0 };
    for (size_t i = 1; i < NODES; i++) message(0, i, rows, sending, 31, 35);
    for (int step = 0; step < 2; step++) {
        for (size_t i = 0; i < NODES; i++) add(i, NETMODEL_CODE, 40, i == 2 ? 0.5 : 0.25);
        for (size_t i = 0; i + 1 < NODES; i++) message(i, i + 1, border, sending, 44, 45);
    }
    for (size_t i = 1; i < NODES; i++) message(i, 0, rows, sending, 52, 50);
}

/* A row for each node: c computes, s sends, r receives, . waits. */
static void print_rows(double total)
{
    for (size_t i = 0; i < NODES; i++) {
        printf("  node %lu  ", (unsigned long)i);
        for (int column = 0; column < COLUMNS; column++) {
            const double now = (column + 0.5) * total / COLUMNS;
            char mark = ' ';
            for (size_t k = 0; k < nodes[i].count; k++)
                if (now >= times[i][k].begin && now < times[i][k].end)
                    mark = now < times[i][k].begin + times[i][k].waited ? '.' : "csr"[segments[i][k].kind];
            putchar(mark);
        }
        printf("\n");
    }
    printf("\n");
}

static void print_lines(size_t node)
{
    netmodel_line_time_share lines[MOST];
    const size_t found = netmodel_timing_lines(&nodes[node], lines, MOST);
    for (size_t i = 0; i < found; i++)
        printf("  %5.1f %% of the time of node %lu is %s:%u%s\n", 100 * lines[i].part, (unsigned long)node,
               lines[i].file, lines[i].line, lines[i].waited > lines[i].seconds ? ", mostly waiting" : "");
    printf("\n");
}

static int write_svg(const char *path, double total)
{
    static const char *const colours[] = { "#4477aa", "#ee6677", "#228833" };
    FILE *file = fopen(path, "w");

    if (file == NULL) return 0;
    fprintf(file,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 720 220' font-family='sans-serif'>\n"
            "<rect width='720' height='220' fill='white'/>\n<text x='20' y='28'>Standard sends, four nodes: %.2f s; "
            "blue computes, red sends, green receives</text>\n",
            total);
    for (size_t i = 0; i < NODES; i++)
        for (size_t k = 0; k < nodes[i].count; k++)
            fprintf(file,
                    "<rect x='%.2f' y='%lu' width='%.2f' height='24' fill='%s' stroke='white' stroke-width='0.5'/>\n",
                    20 + 680 * (times[i][k].begin + times[i][k].waited) / total, 46 + 40 * (unsigned long)i,
                    680 * segments[i][k].seconds / total, colours[segments[i][k].kind]);
    fprintf(file, "</svg>\n");
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    double total[2];
    size_t next[NODES];
    for (int mode = 1; mode >= 0; mode--) {
        //! [timing]
        netmodel_place where;
        build(mode ? &buffered : &standard);
        netmodel_result result = netmodel_timing(nodes, NODES, &total[mode], next, &where);
        //! [timing]
        if (result != NETMODEL_OK) return fprintf(stderr, "%s\n", netmodel_result_text(result)), 1;
        printf("%s sends: %.3f s\n", mode ? "buffered" : "standard", total[mode]);
        print_rows(total[mode]);
    }
    print_lines(0);
    print_lines(2);
    printf("Buffered sends take %.1f %% less; a node 2 as fast as the others, or fewer rows for it, would help more.\n",
           100 * (1 - total[1] / total[0]));
    if (argc == 3 && strcmp(argv[1], "--svg") == 0 && !write_svg(argv[2], total[0]))
        return fprintf(stderr, "cannot write %s\n", argv[2]), 1;
    return 0;
}
