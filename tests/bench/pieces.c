/* Which criterion finds the right number of pieces? Curves with known breaks, and the part of them where it did.
 * cc -O2 -I. tests/bench/pieces.c -o pieces -lm && ./pieces [SETS [loo]]
 *
 * Sizes from 4 B to 4 MB on a logarithmic scale, 1 to 4 pieces of at least three sizes, errors of 0.5, 1, 2 and 5 %, SETS
 * curves of each; where pieces meet, slopes differ by a factor of two or more; a jump is by 10 to 100 %. Errors are normal,
 * or Student's with 3 degrees of freedom, as those of real measurements, some of which are far off. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 6, COLUMNS = 6, SIZES = 60, EACH = 20, CRITERIA = 5 };

static const size_t columns[COLUMNS] = { 10, 15, 20, 30, 40, 60 };
static const char *const names[CRITERIA] = { "netmodel_fit_pieces()", "Liu, Wu, Zidek", "Schwarz (BIC)",
                                             "Akaike (AICc)", "leave one out" };
static double n[SIZES], t[SIZES], truth[SIZES], scratch[200000];
static uint64_t dice = 1;

static double uniform(double low, double high) /* splitmix64 */
{
    uint64_t z = dice += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return low + (high - low) * ((double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0);
}

static double normal(void)
{
    return sqrt(-2 * log(1 - uniform(0, 1))) * cos(6.283185307179586 * uniform(0, 1));
}

static double student(void)
{
    const double a = normal(), b = normal(), c = normal();
    return normal() / sqrt((a * a + b * b + c * c) / 3);
}

/* The truth of a curve; false if it is not to be tried. */
static int draw_truth(size_t sizes, size_t pieces, int jumps)
{
    size_t end[MOST + 1] = { 0 };
    double time = 10, before = 0;
    for (size_t k = 1; k < pieces; ++k) end[k] = (size_t)uniform(1, (double)sizes);
    end[pieces] = sizes;
    for (size_t k = 1; k <= pieces; ++k)
        if (end[k] < end[k - 1] + 3) return 0;
    for (size_t i = 0; i < sizes; ++i) n[i] = 4 * pow(1e6, (double)i / (double)(sizes - 1));
    for (size_t k = 0; k < pieces; ++k) {
        const double from = k == 0 ? n[0] : n[end[k] - (jumps ? 0 : 1)];
        const double factor = k + 1 < pieces ? exp(uniform(log(1.05), log(6))) : exp(uniform(log(1.5), log(100)));
        if (k > 0 && jumps) time *= exp(uniform(log(1.1), log(2)));
        const double slope = time * (factor - 1) / (n[end[k + 1] - 1] - from);
        if (k > 0 && !jumps && slope < 2 * before && slope > before / 2) return 0;
        for (size_t i = end[k]; i < end[k + 1]; ++i) truth[i] = time + slope * (n[i] - from);
        time = truth[end[k + 1] - 1];
        before = slope;
    }
    return 1;
}

static netmodel_result fit(const netmodel_points *points, size_t pieces, int jumps, netmodel_piece *piece,
                           netmodel_pieces *pieces_fit)
{
    const netmodel_pieces_desc desc = { pieces, true, jumps != 0, false };
    return netmodel_fit_pieces(points, &desc, scratch, piece, pieces_fit, NULL);
}

/* Mean square error at each point of the fit to the others. */
static double leave_one_out(size_t sizes, size_t pieces, int jumps)
{
    double n_others[SIZES], t_others[SIZES], sum = 0;
    for (size_t out = 0; out < sizes; ++out) {
        const netmodel_points others = { n_others, t_others, sizes - 1, NETMODEL_ERROR_RELATIVE };
        netmodel_pieces f;
        netmodel_piece piece[MOST];
        for (size_t i = 0; i + 1 < sizes; ++i) {
            n_others[i] = n[i < out ? i : i + 1];
            t_others[i] = t[i < out ? i : i + 1];
        }
        if (fit(&others, pieces, jumps, piece, &f) != NETMODEL_OK) return HUGE_VAL;
        sum += pow(netmodel_pieces_predict(&f, n[out], 0.5).time / t[out] - 1, 2);
    }
    return sum / (double)sizes;
}

/* Every criterion for one number of pieces. */
static void judge(size_t sizes, size_t pieces, int jumps, int loo, double value[CRITERIA])
{
    const netmodel_points points = { n, t, sizes, NETMODEL_ERROR_RELATIVE };
    const double count = (double)sizes, p = jumps ? 3 * (double)pieces - 1 : 2 * (double)pieces;
    netmodel_pieces f;
    netmodel_piece piece[MOST];
    for (int i = 0; i < CRITERIA; ++i) value[i] = HUGE_VAL;
    if (fit(&points, pieces, jumps, piece, &f) != NETMODEL_OK) return;
    const double squares = f.deviation * f.deviation * (double)f.degrees_of_freedom;
    value[0] = f.criterion;
    value[1] = log(squares / (count - p)) + 0.299 * pow(log(count), 2.1) * p / count;
    value[2] = log(squares / count) + p * log(count) / count;
    if (count - p > 2) value[3] = log(squares / count) + 2 * (p + 1) / (count - p - 2);
    if (loo) value[4] = leave_one_out(sizes, pieces, jumps);
}

static void compare(int jumps, double (*error)(void), int sets, int loo)
{
    double right[CRITERIA][COLUMNS] = { { 0 } }, few[CRITERIA] = { 0 }, many[CRITERIA] = { 0 }, tried[COLUMNS] = { 0 };
    double all = 0;
    for (int c = 0; c < COLUMNS; ++c)
        for (size_t pieces = 1; pieces <= 4 && 3 * pieces <= columns[c]; ++pieces)
            for (int set = 0; set < 4 * sets; ++set) {
                static const double noise[] = { 0.005, 0.01, 0.02, 0.05 };
                double value[MOST + 1][CRITERIA];
                const size_t most = columns[c] / 3 < MOST ? columns[c] / 3 : MOST;
                while (!draw_truth(columns[c], pieces, jumps)) {
                }
                for (size_t i = 0; i < columns[c]; ++i) t[i] = truth[i] * exp(noise[set % 4] * error());
                for (size_t k = 1; k <= most; ++k) judge(columns[c], k, jumps, loo && columns[c] <= 40, value[k]);
                for (int i = 0; i < CRITERIA; ++i) {
                    size_t best = 1;
                    for (size_t k = 2; k <= most; ++k)
                        if (value[k][i] < value[best][i]) best = k;
                    right[i][c] += best == pieces;
                    few[i] += best < pieces;
                    many[i] += best > pieces;
                }
                ++tried[c], ++all;
            }
    for (int i = 0; i < CRITERIA - !loo; ++i) {
        printf("  %-22s", names[i]);
        double mean = 0;
        for (int c = 0; c < COLUMNS; ++c) {
            if (i == 4 && columns[c] > 40)
                printf("        ");
            else
                printf(" %5.1f %%", 100 * right[i][c] / tried[c]);
            mean += 100 * right[i][c] / tried[c] / COLUMNS;
        }
        if (i < 4) printf("   mean %5.1f %%", mean);
        if (i < 4) printf("   %5.1f %% %5.1f %%", 100 * few[i] / all, 100 * many[i] / all);
        printf("\n");
    }
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Every size is repeated: 1 % of error that its repetitions share, 2 % for each of them, and one in thirty takes eight
 * times as long. What is fitted: all points, as if each were a size; the means; the medians. */
static void compare_grouping(int sets)
{
    enum { COUNT = 30 };
    static const char *const what[] = { "each point a size", "means", "medians" };
    double right[3] = { 0 }, off[3] = { 0 }, all = 0;
    for (size_t pieces = 1; pieces <= 4; ++pieces)
        for (int set = 0; set < sets; ++set, ++all) {
            static double size[COUNT * EACH], time[COUNT * EACH];
            double value[3][COUNT], at[COUNT];
            const int jumps = set % 2;
            while (!draw_truth(COUNT, pieces, jumps)) {
            }
            for (size_t i = 0; i < COUNT; ++i) {
                const double shared = truth[i] * exp(0.01 * normal());
                double *own = time + i * EACH;
                at[i] = n[i];
                value[1][i] = 0;
                for (size_t k = 0; k < EACH; ++k) {
                    size[i * EACH + k] = n[i] * (1 + 1e-9 * (double)k);
                    own[k] = shared * exp(0.02 * normal()) * (uniform(0, 30) < 1 ? 8 : 1);
                    value[1][i] += own[k] / EACH;
                }
                double sorted[EACH];
                for (size_t k = 0; k < EACH; ++k) sorted[k] = own[k];
                qsort(sorted, EACH, sizeof *sorted, by_value);
                value[2][i] = (sorted[EACH / 2 - 1] + sorted[EACH / 2]) / 2;
            }
            for (int g = 0; g < 3; ++g) {
                const netmodel_points points = { g ? at : size, g ? value[g] : time, g ? COUNT : COUNT * EACH,
                                                 NETMODEL_ERROR_RELATIVE };
                const netmodel_pieces_desc desc = { MOST, false, jumps != 0, false };
                netmodel_pieces f;
                netmodel_piece piece[MOST];
                double squares = 0;
                if (netmodel_fit_pieces(&points, &desc, scratch, piece, &f, NULL) != NETMODEL_OK) exit(1);
                right[g] += f.count == pieces;
                for (size_t i = 0; i < COUNT; ++i)
                    squares += pow(netmodel_pieces_predict(&f, n[i], 0.5).time / truth[i] - 1, 2) / COUNT;
                off[g] += sqrt(squares);
            }
        }
    for (int g = 0; g < 3; ++g)
        printf("  %-22s %5.1f %%   curve off the truth by %.2f %%\n", what[g], 100 * right[g] / all,
               100 * off[g] / all);
}

/* Links that tests/testbed/series has measured: fitted to every other size, and how far off the sizes between are. */
static void measured_links(FILE *file)
{
    enum { TURNS = 15, POWERS = 21 };
    static double size[TURNS * POWERS], time[TURNS * POWERS];
    char line[200], link[40], last[40] = "";
    size_t count = 0;
    printf("measured links, fitted to every other size: the sizes between are off by\n");
    for (int more = fgets(line, sizeof line, file) != NULL; more;) {
        double bytes = 0, seconds = 0;
        more = fgets(line, sizeof line, file) && sscanf(line, "%39[^,],%lf,%lf", link, &bytes, &seconds) == 3;
        if (last[0] && (!more || strcmp(link, last) != 0)) {
            printf("  %-22s", last);
            for (int jumps = 0; jumps < 2; ++jumps) {
                double n_half[TURNS * POWERS], t_half[TURNS * POWERS], off = 0, counted = 0;
                netmodel_points half = { n_half, t_half, 0, NETMODEL_ERROR_RELATIVE };
                const netmodel_pieces_desc desc = { 3, false, jumps != 0, false };
                netmodel_pieces f;
                netmodel_piece piece[MOST];
                for (int power = 0; power < POWERS; power += 2)
                    for (size_t i = 0; i < count; ++i)
                        if (size[i] == (double)(1 << power)) {
                            n_half[half.count] = size[i];
                            t_half[half.count++] = time[i];
                        }
                if (netmodel_fit_pieces(&half, &desc, scratch, piece, &f, NULL) != NETMODEL_OK) exit(1);
                for (size_t i = 0; i < count; ++i)
                    if (fmod(log2(size[i]), 2) > 0.5) {
                        off += fabs(netmodel_pieces_predict(&f, size[i], 0.5).time / time[i] - 1);
                        counted += 1;
                    }
                printf("  %lu %s %s %5.1f %%", (unsigned long)f.count, f.count > 1 ? "pieces" : "piece ",
                       jumps ? "with jumps" : "that meet", 100 * off / counted);
            }
            double n_half[TURNS * POWERS], t_half[TURNS * POWERS], n_own[TURNS * POWERS + NETMODEL_BENDS_MAX],
                t_own[TURNS * POWERS + NETMODEL_BENDS_MAX], miss[TURNS * POWERS + NETMODEL_BENDS_MAX],
                off = 0, hold95 = 0, hold80 = 0, counted = 0;
            netmodel_points half = { n_half, t_half, 0, NETMODEL_ERROR_RELATIVE };
            netmodel_measured m;
            for (int power = 0; power < POWERS; power += 2)
                for (size_t i = 0; i < count; ++i)
                    if (size[i] == (double)(1 << power)) {
                        n_half[half.count] = size[i];
                        t_half[half.count++] = time[i];
                    }
            if (netmodel_measured_fit(&half, n_own, t_own, miss, &m, NULL) != NETMODEL_OK) exit(1);
            for (size_t i = 0; i < count; ++i)
                if (fmod(log2(size[i]), 2) > 0.5) {
                    const netmodel_prediction p = netmodel_measured_predict(&m, size[i], 0.95),
                                              q = netmodel_measured_predict(&m, size[i], 0.8);
                    off += fabs(p.time / time[i] - 1);
                    hold95 += time[i] >= p.low && time[i] <= p.high;
                    hold80 += time[i] >= q.low && time[i] <= q.high;
                    counted += 1;
                }
            printf("  measured curve %5.1f %%, 95 and 80 %% intervals hold %5.1f and %5.1f %%\n", 100 * off / counted,
                   100 * hold95 / counted, 100 * hold80 / counted);
            count = 0;
        }
        if (!more || count == TURNS * POWERS) break;
        size[count] = bytes;
        time[count++] = seconds;
        memcpy(last, link, sizeof last);
    }
}

int main(int argc, char **argv)
{
    const int sets = argc > 1 ? atoi(argv[1]) : 3, loo = argc > 2;
    if (sets < 1 || netmodel_pieces_scratch(30 * EACH, MOST) > sizeof scratch / sizeof *scratch) return 1;
    for (int heavy = 0; heavy < 2; ++heavy)
        for (int jumps = 0; jumps < 2; ++jumps) {
            printf("%s, %s errors: right number of pieces with\n  %-22s", jumps ? "jumps" : "pieces that meet",
                   heavy ? "heavy-tailed" : "normal", "");
            for (int c = 0; c < COLUMNS; ++c) printf(" %4lu   ", (unsigned long)columns[c]);
            printf("sizes; mean; too few, too many\n");
            compare(jumps, heavy ? student : normal, sets, loo);
        }
    printf("%d repetitions of 30 sizes, one in thirty a spike: right number of pieces\n", EACH);
    compare_grouping(10 * sets);
    FILE *file = fopen("tests/series/pings.csv", "r");
    if (!file) return fprintf(stderr, "pieces: tests/series/pings.csv cannot be read\n"), 1;
    measured_links(file);
    return fclose(file) != 0;
}
