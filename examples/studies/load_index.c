/* A process is about to compute on a workstation that others use: which load average best predicts its run time?
 * cc -O2 -DSIMKIT_STATIC -I. examples/studies/load_index.c -o load_index -lm && ./load_index     (three seconds; --svg FILE, --csv FILE)
 *
 * The study of [clue], "load index evaluation": all day long processes of s CPU seconds compute, one after another. The
 * run time of each is predicted from the load average when it begins, for many smoothing constants beta at once:
 * equation (1) sampled each second, where 0 is the number of processes at the last sample and 60/61 averages over a
 * minute. [clue] found that 0 is best for processes of a few seconds, and that larger beta are better for longer ones.
 * Here: a day of examples/users/office.users, on the first workstation, and a recorded one. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BETAS = 13, ALONE = BETAS, GUESSES, LONGEST = 60, DAYS_AT_MOST = 1000, TIMES = 5 };

static const double betas[BETAS] = { 0, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .98, .99 };
static const double settled = 600; /* [s], predictions before do not count: the load averages begin at 0 */
static const int ranges[][2] = { { 1, 3 }, { 5, 15 }, { 15, 30 }, { 30, 60 } }; /* ranges of s [s] */

typedef struct surface {
    double error[LONGEST + 1][GUESSES]; /* sum of |actual - predicted| [s], by s and beta; the last: an idle machine */
    double actual[LONGEST + 1];         /* sum of run times [s] */
    double count[LONGEST + 1];          /* number of predictions */
} surface;

typedef struct probe {
    simkit_node node;
    int seconds;               /* of CPU time that each process takes */
    double cores, begin;       /* of the node; of the process [s] */
    double predicted[GUESSES]; /* [s] */
    surface *into;
} probe;

/*=============================================================================
 * The study
 *===========================================================================*/
static void ends(simkit_world *world, void *user);

/* The previous process ran at every sample since it began: in the load average it stands for the next one. */
static void begins(simkit_world *world, void *user)
{
    probe *p = (probe *)user;
    const simkit_computation_desc desc = { .node = p->node, .seconds = p->seconds, .done = ends, .user = p };

    p->begin = simkit_clock_now(world);
    for (int b = 0; b < BETAS; ++b) {
        const double load = simkit_load_average(world, p->node, betas[b], 1);
        p->predicted[b] = p->seconds / contention_share_equal(p->cores, 0, load > 1 ? load : 1);
    }
    p->predicted[ALONE] = p->seconds;
    if (simkit_computation_start(world, &desc, NULL) != SIMKIT_OK) simkit_world_stop(world);
}

static void ends(simkit_world *world, void *user)
{
    probe *p = (probe *)user;
    const double actual = simkit_clock_now(world) - p->begin;

    if (p->begin >= settled) {
        for (int g = 0; g < GUESSES; ++g) p->into->error[p->seconds][g] += fabs(actual - p->predicted[g]);
        p->into->actual[p->seconds] += actual;
        p->into->count[p->seconds]++;
    }
    begins(world, p);
}

/* Simulates one day of a workstation once for each s, with users from a file or a recording. The first process begins
 * after the part `part` of s. */
static bool live(surface *into, double cores, double span, uint64_t seed, double part, const simkit_population *users,
                 const simkit_replay_desc *recorded)
{
    memset(into, 0, sizeof *into);
    for (int seconds = 1; seconds <= LONGEST; ++seconds) {
        const simkit_node_desc desc = { .cores = (unsigned)cores };
        probe p = { .seconds = seconds, .cores = cores, .into = into };
        simkit_replay_desc replay;
        simkit_world *world;
        simkit_result result;

        if (simkit_world_open(&(simkit_world_desc){ .seed = seed }, &world) != SIMKIT_OK)
            return fprintf(stderr, "load_index: no memory for a world\n"), false;
        result = simkit_node_add(world, &desc, &p.node);
        if (result == SIMKIT_OK) result = simkit_load_record(world, p.node);
        if (result == SIMKIT_OK && users) result = simkit_population_start(world, users, 1, p.node);
        if (result == SIMKIT_OK && recorded) {
            replay = *recorded;
            replay.node = p.node;
            result = simkit_replay_start(world, &replay, NULL);
        }
        if (result == SIMKIT_OK) result = simkit_world_run_until(world, seconds * part);
        if (result == SIMKIT_OK) {
            begins(world, &p);
            result = simkit_world_run_until(world, span);
        }
        if (result != SIMKIT_OK) fprintf(stderr, "load_index: %s\n", simkit_world_why(world));
        simkit_world_close(world);
        if (result != SIMKIT_OK) return false;
    }
    return true;
}

static void add(surface *to, const surface *day)
{
    for (int s = 1; s <= LONGEST; ++s) {
        for (int g = 0; g < GUESSES; ++g) to->error[s][g] += day->error[s][g];
        to->actual[s] += day->actual[s];
        to->count[s] += day->count[s];
    }
}

/*=============================================================================
 * The recorded day
 *===========================================================================*/
/* Reads the comments that examples/tools/record_load.c writes. */
static void read_comments(const char *path, double *cores, double *span)
{
    FILE *file = fopen(path, "r");
    char line[200];

    while (file && fgets(line, sizeof line, file)) {
        if (*line != '#') continue;
        sscanf(line, "# record_load: processes of a machine with %lf cores", cores);
        sscanf(line, "# recorded %lf s", span);
    }
    if (file) fclose(file);
}

/*=============================================================================
 * Results
 *===========================================================================*/
/* Mean error as a part of s, over a range of s. */
static double relative(const surface *of, const int range[2], int guess)
{
    double sum = 0;

    for (int s = range[0]; s <= range[1]; ++s) sum += of->error[s][guess] / of->count[s] / s;
    return sum / (range[1] - range[0] + 1);
}

static int best(const surface *of, const int range[2])
{
    int found = 0;

    for (int b = 1; b < BETAS; ++b)
        if (relative(of, range, b) < relative(of, range, found)) found = b;
    return found;
}

enum { RANGES = sizeof ranges / sizeof *ranges };

/* Whether the best beta is 0 for short processes, never decreases with their length, and is larger for the longest. */
static bool as_in_the_paper(const surface *of)
{
    bool grows = best(of, ranges[0]) == 0 && best(of, ranges[RANGES - 1]) > 0;

    for (int i = 1; i < RANGES; ++i)
        if (best(of, ranges[i]) < best(of, ranges[i - 1])) grows = false;
    return grows;
}

static bool print_found(const char *title, const surface *of)
{
    static const int coarse[] = { 1, 2, 5, 10, 20, 30, 60 };
    int zero = 0;

    for (int s = 1; s <= LONGEST; ++s)
        if (!(of->count[s] > 0)) return fprintf(stderr, "load_index: %s is too short\n", title), false;
    printf("%s\nmean error [s] of predictions by the load average;\n* marks the smallest; idle: assuming an idle "
           "machine\n\n   s  run time",
           title);
    for (int b = 0; b < BETAS; ++b) printf(b ? "  %4g " : "   beta %4g ", betas[b]);
    printf("    idle\n");
    for (size_t i = 0; i < sizeof coarse / sizeof *coarse; ++i) {
        const int s = coarse[i], range[2] = { s, s };
        printf("%4d  %8.2f     ", s, of->actual[s] / of->count[s]);
        for (int g = 0; g < GUESSES; ++g)
            printf(" %6.*f%s", s < 10 ? 3 : 2, of->error[s][g] / of->count[s],
                   g == best(of, range) ? "*"
                   : g < ALONE          ? " "
                                        : "");
        printf("\n");
    }
    while (zero < LONGEST && best(of, (int[2]){ zero + 1, zero + 1 }) == 0) ++zero;
    printf("\nmean error as a part of s\n");
    for (int i = 0; i < RANGES; ++i) {
        const int *range = ranges[i], least = best(of, range);
        printf(
            "%2d to %2d s   best beta %-4g error %4.1f %%   beta 0: %4.1f %%   beta 0.98: %4.1f %%   assuming an idle "
            "machine: %4.1f %%\n",
            range[0], range[1], betas[least], 100 * relative(of, range, least), 100 * relative(of, range, 0),
            100 * relative(of, range, 11), 100 * relative(of, range, ALONE));
    }
    if (as_in_the_paper(of))
        printf("As in [clue]: beta 0 is best for short processes, here %s %d s, and the best beta grows with their "
               "length.\n",
               zero > 1 ? "up to" : "of", zero);
    else
        printf(
            "NOT as in [clue], where beta 0 is best for short processes and the best beta grows with their length.\n");
    return true;
}

static void write_rows(FILE *file, const char *day, const surface *of)
{
    for (int s = 1; s <= LONGEST; ++s)
        for (int b = 0; b < BETAS; ++b)
            fprintf(file, "%s,%d,%g,%.0f,%.6f,%.6f,%.6f,%.6f\n", day, s, betas[b], of->count[s],
                    of->actual[s] / of->count[s], of->error[s][b] / of->count[s], of->error[s][b] / of->count[s] / s,
                    of->error[s][ALONE] / of->count[s]);
}

/*=============================================================================
 * Drawing
 *===========================================================================*/
static const double steps[] = { 0.02, 0.05, 0.1, 0.2, 0.5 }; /* upper limits of how much worse than the best */
static const char *const colours[] = { "#ffffe5", "#fee391", "#fec44f", "#ec7014", "#cc4c02", "#662506" };

enum { LEFT = 70, TOP = 90, WIDE = 24, HIGH = 5, NEXT = 430, BOTTOM = TOP + LONGEST * HIGH };

static void draw(FILE *file, const char *title, const surface *of, int x)
{
    fprintf(file,
            "<text x='%d' y='%d' font-size='15'>%s</text>\n<text x='%d' y='%d' text-anchor='middle'>beta</text>\n"
            "<text x='%d' y='%d' font-size='11'>mean error</text>\n",
            x, TOP - 30, title, x + BETAS * WIDE / 2, BOTTOM + 36, x + BETAS * WIDE + 6, TOP - 12);
    for (int s = 1; s <= LONGEST; ++s) {
        const int range[2] = { s, s }, y = BOTTOM - s * HIGH, least = best(of, range);
        for (int b = 0; b < BETAS; ++b) {
            const double worse = of->error[s][b] / of->error[s][least] - 1;
            int step = 0;
            while (step < 5 && worse >= steps[step]) ++step;
            fprintf(file, "<rect x='%d' y='%d' width='%d' height='%d' fill='%s'/>\n", x + b * WIDE, y, WIDE, HIGH,
                    colours[step]);
        }
        fprintf(file, "<circle cx='%d' cy='%.1f' r='2.2' fill='#08519c'/>\n", x + least * WIDE + WIDE / 2,
                y + HIGH / 2.0);
        if (s != 1 && s % 10) continue;
        fprintf(
            file,
            "<text x='%d' y='%d' text-anchor='end'>%d s</text>\n<text x='%d' y='%d' fill='#08519c'>%.1f %%</text>\n",
            x - 6, y + 7, s, x + BETAS * WIDE + 6, y + 7, 100 * relative(of, range, least));
    }
    for (int b = 0; b < BETAS; ++b)
        fprintf(file, "<text x='%d' y='%d' text-anchor='middle' font-size='9.5'>%g</text>\n", x + b * WIDE + WIDE / 2,
                BOTTOM + 16, betas[b]);
    fprintf(file, "<rect x='%d' y='%d' width='%d' height='%d' fill='none' stroke='black'/>\n", x, TOP, BETAS * WIDE,
            LONGEST * HIGH);
}

static bool write_svg(const char *path, const char *const titles[2], const surface of[2])
{
    FILE *file = fopen(path, "w");

    if (!file) return false;
    fprintf(file,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 880 480' font-family='sans-serif' font-size='13'>\n"
            "<rect width='880' height='480' fill='white'/>\n<text x='20' y='34' font-size='20'>Which load average "
            "predicts best how long s seconds of computing take?</text>\n");
    for (int day = 0; day < 2; ++day) draw(file, titles[day], &of[day], LEFT + day * NEXT);
    fprintf(file,
            "<circle cx='%d' cy='458' r='3' fill='#08519c'/><text x='%d' y='463'>best beta, and its mean error in "
            "%% of s</text>\n<text x='330' y='463'>others, worse by</text>\n",
            26, 36);
    for (int i = 0; i < 6; ++i)
        fprintf(file,
                "<rect x='%d' y='449' width='16' height='16' fill='%s' stroke='#999'/><text x='%d' y='462' "
                "font-size='12'>%s "
                "%.0f %%</text>\n",
                448 + 70 * i, colours[i], 468 + 70 * i, i < 5 ? "&lt;" : "&gt;", 100 * steps[i < 5 ? i : 4]);
    fprintf(file, "</svg>\n");
    return fclose(file) == 0;
}

/*=============================================================================
 * Both days
 *===========================================================================*/
static const char usage[] =
    "load_index [--days N] [--users FILE] [--trace FILE.csv] [--cores N] [--csv FILE] [--svg FILE]\n"
    "  --days    number of invented days, each with other random numbers, 1 to 1000 (5)\n"
    "  --users   users file of the invented days (examples/users/office.users)\n"
    "  --trace   the recorded day (examples/users/recorded.csv)\n"
    "  --cores   number of cores of the recorded machine (from the recording, else 1)\n";

static const char where[] = "\nload_index: run it from the top of the project, or name files with --users and --trace";

static surface sums[2], one; /* invented, recorded; one day */

int main(int argc, char **argv)
{
    const char *users = "examples/users/office.users", *trace = "examples/users/recorded.csv", *csv = NULL, *svg = NULL;
    const char *const titles[2] = { "invented: an office", "recorded" };
    char headings[2][120];
    long days = 5, given = 0, alike = 0;
    double cores = 1, span = 0;
    simkit_population *population;
    simkit_workload *workload;
    simkit_parse_error error;
    simkit_replay_desc replay;
    FILE *file;

    for (int i = 1; i < argc; i += 2) {
        static const char *const names[] = { "--users", "--trace", "--csv", "--svg", "--days", "--cores" };
        const char **const texts[] = { &users, &trace, &csv, &svg };
        int option = 0;
        char *rest = NULL;
        while (option < 6 && strcmp(argv[i], names[option]) != 0) ++option;
        if (option == 6 || i + 1 == argc) return fputs(usage, stderr), 1;
        if (option < 4) {
            *texts[option] = argv[i + 1];
            continue;
        }
        *(option == 4 ? &days : &given) = strtol(argv[i + 1], &rest, 10);
        if (*rest || days < 1 || days > DAYS_AT_MOST || (option == 5 && (given < 1 || given > 4096)))
            return fprintf(stderr, "load_index: %s %s: invalid value\n%s", argv[i], argv[i + 1], usage), 1;
    }
    if (simkit_population_read(&(simkit_input){ .path = users }, &population, &error) != SIMKIT_OK ||
        simkit_workload_read(&(simkit_input){ .path = trace }, &workload, &error) != SIMKIT_OK)
        return fprintf(stderr, "load_index: %s%s\n", error.text, error.line ? "" : where), 1;

    for (long day = 1; day <= days; ++day) {
        if (!live(&one, 1, 86400, (uint64_t)day, 0, population, NULL)) return 1;
        alike += as_in_the_paper(&one);
        add(&sums[0], &one);
    }
    read_comments(trace, &cores, &span);
    if (given) cores = (double)given;
    memset(&replay, 0, sizeof replay);
    replay.arrivals = workload->arrivals;
    replay.count = workload->count;
    if (!(span > 0) && replay.count > 0) span = replay.arrivals[replay.count - 1].time;
    if (span > 86400) span = 86400;
    for (int time = 0; time < TIMES; ++time) { /* there is one recorded day: the processes begin at other times in it */
        if (!live(&one, cores, span, 1, (double)time / TIMES, NULL, &replay)) return 1;
        add(&sums[1], &one);
    }

    snprintf(headings[0], sizeof headings[0], "%s, mean of %ld days", titles[0], days);
    snprintf(headings[1], sizeof headings[1], "%s: %.1f hours of a machine with %.0f core%s", titles[1], span / 3600,
             cores, cores > 1 ? "s" : "");
    if (!print_found(headings[0], &sums[0])) return 1;
    printf("This holds on %ld of the %ld days taken one by one.\n\n", alike, days);
    if (!print_found(headings[1], &sums[1])) return 1;

    if (csv) {
        if ((file = fopen(csv, "w")) == NULL) return fprintf(stderr, "load_index: cannot write %s\n", csv), 1;
        fprintf(file, "day,s [s],beta,predictions,run time [s],error [s],relative error,error of alone [s]\n");
        write_rows(file, "invented", &sums[0]);
        write_rows(file, "recorded", &sums[1]);
        if (fclose(file) != 0) return fprintf(stderr, "load_index: cannot write %s\n", csv), 1;
    }
    if (svg && !write_svg(svg, (const char *const[2]){ headings[0], headings[1] }, sums))
        return fprintf(stderr, "load_index: cannot write %s\n", svg), 1;
    simkit_workload_close(workload);
    simkit_population_close(population);
    return 0;
}
