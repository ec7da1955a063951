/* splits.c - which split into ranks and threads is the fastest? Runs a program with each one that fits the machine, one after
 * another, prints a table, and draws the times. docs/messages.md, "Ranks and threads", describes it. The machine file is read by
 * the program alone: it is first started with SIMKIT_PLACES for each split, and only tells where its ranks would be (launch.c). */
#define _GNU_SOURCE
#include "splits.h"
#include "simrun_base.h"
#include "../interval.h"
#include "../svg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_NUMBERS = 64, NOT_STARTED = 127, SIGNALLED = 128 };

/* To what the time of the cores went. */
typedef enum share { COMPUTING, MESSAGES, WAITING, THREADS, SLEEPING, SHARES } share;
static const char *const share_names[SHARES] = { "computing", "messages", "waiting", "threads", "sleeping" };

typedef struct split {
    long ranks, threads;
    bool ran;           /* and did not fail */
    double seconds;     /* predicted; the median of several runs */
    bool unsure;        /* the machine file has no value with an error */
    interval next;      /* of a real run, if there are several */
    double least, most; /* of several [s] */
    double shares[SHARES];
    int status;      /* of its run */
    int remarks;     /* lines on standard error of a run that succeeded, without the last one */
    char reason[96]; /* for which it is left out; empty: it is not */
} split;

typedef struct numbers {
    long list[MOST_NUMBERS];
    int count;
} numbers;

/*=============================================================================
 * MARK: - >>lists
 *===========================================================================*/
bool splits_is_list(const char *text)
{
    return text && strchr(text, ',') != NULL;
}

static int splits__by_size(const void *one, const void *other)
{
    const long a = *(const long *)one, b = *(const long *)other;
    return a < b ? -1 : a > b;
}

/* Reads a list in any order; it is sorted afterwards. */
static numbers splits__numbers(const char *option, const char *text)
{
    numbers n = { .count = 0 };
    for (const char *at = text;; ++at) {
        char word[24], whole[64];
        const size_t length = strcspn(at, ",");
        snprintf(whole, sizeof whole, "%s %.40s: '%.*s'", option, text, (int)(length < 12 ? length : 12), at);
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), at);
        if (n.count == MOST_NUMBERS) simrun_stop("%s %s: expected up to %d numbers", option, text, MOST_NUMBERS);
        if (length == 0) simrun_stop("%s %s: expected a number before and after each comma", option, text);
        const long number = simrun_number(option, word);
        for (int i = 0; i < n.count; ++i)
            if (n.list[i] == number) simrun_stop("%s is there twice", whole);
        n.list[n.count++] = number;
        at += length;
        if (!*at) break;
    }
    qsort(n.list, (size_t)n.count, sizeof *n.list, splits__by_size);
    return n;
}

/*=============================================================================
 * MARK: - >>runs
 *===========================================================================*/
static FILE *splits__file(void)
{
    FILE *f = tmpfile();
    if (!f) simrun_stop("no temporary file: %s", strerror(errno));
    return f;
}

/* Sets a variable to the path by which a program that is started here opens this file, which has no name. */
static void splits__set_path(const char *variable, FILE *f)
{
    char path[40];
    snprintf(path, sizeof path, "/dev/fd/%d", fileno(f));
    simrun_set(variable, path);
}

/* Starts the program with the variables of a split, without input and output; what it writes to standard error goes to a file. */
static int splits__start(const split *s, char *const *argv, FILE *errors)
{
    char text[24];
    int status = 0;
    snprintf(text, sizeof text, "%ld", s->ranks);
    simrun_set("SIMKIT_NP", text);
    snprintf(text, sizeof text, "%ld", s->threads);
    simrun_set("SIMKIT_THREADS", text);
    const pid_t process = fork();
    if (process == 0) {
        const int nothing = open("/dev/null", O_RDWR);
        if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDOUT_FILENO) >= 0 &&
            dup2(fileno(errors), STDERR_FILENO) >= 0)
            execvp(argv[0], argv);
        dprintf(STDERR_FILENO, "simrun: %s: %s\n", argv[0], strerror(errno));
        _exit(NOT_STARTED);
    }
    if (process < 0) simrun_stop("%s cannot be started: %s", argv[0], strerror(errno));
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR) simrun_stop("%s: its end is unknown: %s", argv[0], strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED + WTERMSIG(status);
}

static void splits__copy(FILE *from, FILE *to)
{
    char block[4096];
    size_t count;
    rewind(from);
    while ((count = fread(block, 1, sizeof block, from)) > 0) fwrite(block, 1, count, to);
}

/* Asks the program where its ranks would be, and leaves a split out for which a host has too few cores. */
static void splits__fit(split *s, char *const *argv)
{
    FILE *places = splits__file(), *errors = splits__file();
    char host[64];
    unsigned cores, ranks, values;
    int hosts = 0;
    splits__set_path("SIMKIT_PLACES", places);
    const int status = splits__start(s, argv, errors);
    unsetenv("SIMKIT_PLACES");
    if (status != 0) { /* such as a mistake in the machine file, which each split would meet */
        splits__copy(errors, stderr);
        exit(status);
    }
    rewind(places);
    s->unsure = fscanf(places, "%u", &values) != 1 || values == 0;
    for (; fscanf(places, "%63s %u %u", host, &cores, &ranks) == 3; ++hosts)
        if (!s->reason[0] && (double)ranks * (double)s->threads > cores)
            snprintf(s->reason, sizeof s->reason, "host %.32s has %u core%s, expected %.0f for %u rank%s on it", host,
                     cores, cores == 1 ? "" : "s", (double)ranks * (double)s->threads, ranks, ranks == 1 ? "" : "s");
    if (hosts == 0)
        simrun_stop(
            "%s: it does not tell where its ranks would be, expected a program linked by simcc, simc++ or simf90",
            argv[0]);
    fclose(places);
    fclose(errors);
}

/* The shares of the cores' time, from the line of all ranks in a report. Of sending, receiving, waiting for messages and
 * sleeping, only those of the thread of main() are known, and they stand for the whole rank, whose other threads mostly have
 * nothing to do then; in the remaining time, each core computes or has a thread that waits for others. */
static bool splits__read_shares(split *s, FILE *report)
{
    char line[512];
    double ends = 0, worked = 0, parts[6]; /* in percent: computing, sending, receiving, waiting, threads, sleeping */
    bool found = false;
    rewind(report);
    while (!found && fgets(line, sizeof line, report))
        found = sscanf(line, "all %lf %lf %lf%% %lf%% %lf%% %lf%% %lf%% %lf%%", &ends, &worked, &parts[0], &parts[1],
                       &parts[2], &parts[3], &parts[4], &parts[5]) == 8;
    if (!found) return false;
    const double whole = s->seconds * (double)(s->ranks * s->threads);
    if (!(whole > 0)) return true;
    s->shares[COMPUTING] = worked / whole;
    s->shares[MESSAGES] = (parts[1] + parts[2]) / 100;
    s->shares[SLEEPING] = parts[5] / 100;
    const double left = fmax(1 - s->shares[COMPUTING] - s->shares[MESSAGES] - s->shares[SLEEPING], 0);
    s->shares[WAITING] = s->threads > 1 ? fmin(parts[3] / 100, left) : left;
    s->shares[THREADS] = left - s->shares[WAITING];
    return true;
}

/* The virtual time at which the last rank ended, which is in the last line. */
static bool splits__read_time(split *s, FILE *errors)
{
    char line[1024];
    bool found = false;
    rewind(errors);
    while (fgets(line, sizeof line, errors)) {
        double seconds;
        if (sscanf(line, "simkit: %*u task%*[s], %lf s", &seconds) != 1 &&
            sscanf(line, "simkit: %*u task, %lf s", &seconds) != 1)
            ++s->remarks;
        else
            s->seconds = seconds, found = true;
    }
    return found;
}

/* Runs it once. Returns false if the run failed. */
static bool splits__run_once(split *s, char *const *argv)
{
    FILE *report = splits__file(), *errors = splits__file();
    splits__set_path("SIMKIT_REPORT", report);
    s->status = splits__start(s, argv, errors);
    s->ran = s->status == 0 && splits__read_time(s, errors) && splits__read_shares(s, report);
    if (!s->ran) {
        fprintf(stderr, "simrun: %ld rank%s with %ld thread%s: ", s->ranks, s->ranks == 1 ? "" : "s", s->threads,
                s->threads == 1 ? "" : "s");
        if (s->status != 0)
            fprintf(stderr, "exit status %d, with these errors:\n", s->status);
        else
            fprintf(stderr, "no prediction at the end of these errors:\n");
        if (s->status == 0) s->status = 1;
        splits__copy(errors, stderr);
    }
    fclose(report);
    fclose(errors);
    return s->ran;
}

/* On a terminal only: a line that the next one replaces. */
static void splits__progress(const split *s, int number, int count)
{
    if (!isatty(STDERR_FILENO)) return;
    fputs("\r\033[K", stderr);
    if (s) fprintf(stderr, "%d of %d: ranks %ld, threads %ld ", number, count, s->ranks, s->threads);
    fflush(stderr);
}

/* The validated predictions that are like this one. */
static const residuals *splits__family(const split *s)
{
    return interval_family(s->threads > 1 ? "hybrid" : "messages");
}

/* For which its bounds are wider. */
static unsigned splits__reasons(const split *s)
{
    return interval_larger(splits__family(s), (double)s->ranks) | (s->unsure ? INTERVAL_UNSURE : 0);
}

static int splits__by_time(const void *one, const void *other)
{
    const split *a = one, *b = other;
    return a->seconds < b->seconds ? -1 : a->seconds > b->seconds;
}

/* Runs it so many times: the first run as it stands, the others disturbed, and unless that is all that is asked for, with other seeds and other
 * draws of the values in the machine file that have an error. Keeps the run with the median time. Returns false if one failed. */
static bool splits__run(split *s, const splits_request *request)
{
    static split runs[SPLITS_REPEATS];
    double mean = 0, squares = 0;
    char text[24];
    const int repeat = request->repeat;
    if (repeat == 1) return splits__run_once(s, request->argv);
    for (int i = 0; i < repeat; ++i) {
        runs[i] = *s;
        snprintf(text, sizeof text, "%d", i);
        simrun_set("SIMKIT_DISTURB", text);
        if (!request->disturb) simrun_set("SIMKIT_DRAW", text);
        snprintf(text, sizeof text, "%ld", request->seed + i);
        if (!request->disturb) simrun_set("SIMKIT_SEED", text);
        if (!splits__run_once(&runs[i], request->argv)) {
            *s = runs[i];
            return false;
        }
        mean += log(runs[i].seconds) / repeat;
    }
    for (int i = 0; i < repeat; ++i) squares += (log(runs[i].seconds) - mean) * (log(runs[i].seconds) - mean);
    qsort(runs, (size_t)repeat, sizeof *runs, splits__by_time);
    *s = runs[repeat / 2];
    s->least = runs[0].seconds;
    s->most = runs[repeat - 1].seconds;
    const double deviation = sqrt(squares / (repeat - 1));
    s->next =
        s->seconds > 0 ? interval_of(splits__family(s), splits__reasons(s), s->seconds, deviation) : interval_none();
    return true;
}

/*=============================================================================
 * MARK: - >>the table and the picture
 *===========================================================================*/
static double splits__cores(const split *s)
{
    return (double)(s->ranks * s->threads);
}

/* The fastest split, of those with equal times that with fewer cores; `fewest`: the fastest of those with the fewest cores.
 * NULL: none has run. */
static const split *splits__best(const split *all, int count, bool fewest)
{
    const split *best = NULL;
    for (int i = 0; i < count; ++i) {
        const split *s = &all[i];
        if (!s->ran) continue;
        if (!best) {
            best = s;
            continue;
        }
        const double cores = splits__cores(s) - splits__cores(best), seconds = s->seconds - best->seconds;
        if (fewest ? cores < 0 || (!(cores > 0) && seconds < 0) : seconds < 0 || (!(seconds > 0) && cores < 0))
            best = s;
    }
    return best;
}

/* By how much the runs differ whose times differ by a billionth: where that is more, it depends on what comes first at one instant. */
static void splits__print_disturbed(const split *all, int count, int repeat)
{
    const double told = 1e-3;
    double apart = 0;
    for (int i = 0; i < count; ++i)
        if (all[i].ran && all[i].least > 0) apart = fmax(apart, all[i].most / all[i].least - 1);
    printf("%d runs with times that differ by a billionth are up to %.2g %% apart: ", repeat, 100 * apart);
    puts(apart > told ? "the time depends on the order of what happens at one instant"
                      : "the order of what happens at one instant does not matter");
}

/* Names the runs from which the intervals come, and says for what these are wider. */
static void splits__print_basis(const split *all, int count, int repeat)
{
    static const char *const families[] = { "messages", "hybrid" };
    for (int f = 0; f < 2; ++f) {
        const residuals *family = interval_family(families[f]);
        bool any = false;
        unsigned reasons = 0;
        for (int i = 0; i < count; ++i) {
            if (!all[i].ran || splits__family(&all[i]) != family) continue;
            any = true;
            reasons |= splits__reasons(&all[i]);
        }
        if (!any) continue;
        printf("80 %% and 95 %% intervals of a real run%s: from how much these %d runs differ, and from %d real runs "
               "of such programs, of which so many "
               "were within %.1f %% and %.1f %% of their predictions\n",
               f ? " with threads" : "", repeat, family->runs, 100 * family->within[0], 100 * family->within[1]);
        interval_print_reasons(stdout, family, reasons, "");
    }
}

static void splits__print(const split *all, int count, const splits_request *request)
{
    const split *best = splits__best(all, count, false), *base = splits__best(all, count, true);
    const int repeat = request->repeat;
    int remarks = 0, ran = 0;
    for (int i = 0; i < count; ++i) ran += all[i].ran;
    printf("ranks threads cores     time [s]  speed-up efficiency");
    if (repeat > 1 && request->disturb) printf("    least [s]     most [s]");
    if (repeat > 1 && !request->disturb) printf("          80 %% interval [s]          95 %% interval [s]");
    for (int k = 0; k < SHARES; ++k) printf(" %9s", share_names[k]);
    putchar('\n');
    for (int i = 0; i < count; ++i) {
        const split *s = &all[i];
        if (s->reason[0]) continue;
        printf("%5ld %7ld %5.0f ", s->ranks, s->threads, splits__cores(s));
        if (!s->ran) {
            puts("      failed");
            continue;
        }
        const double speedup =
            s->seconds > 0 ? base->seconds / s->seconds : 1; /* of none of them if no time has passed */
        printf("%12.6g %9.3f %9.1f%%", s->seconds, speedup, 100 * speedup * splits__cores(base) / splits__cores(s));
        if (repeat > 1 && request->disturb) printf(" %12.6g %12.6g", s->least, s->most);
        for (int k = 0; k < 2 && repeat > 1 && !request->disturb; ++k)
            printf(" %12.6g %12.6g", s->next.low[k], s->next.high[k]);
        for (int k = 0; k < SHARES; ++k) printf(" %8.1f%%", 100 * s->shares[k]);
        puts(s == best && ran > 1 ? " *" : "");
    }
    if (base && ran > 1) {
        printf("* the fastest; speed-up and efficiency are relative to %ld rank%s with %ld thread%s", base->ranks,
               base->ranks == 1 ? "" : "s", base->threads, base->threads == 1 ? "" : "s");
        if (splits__cores(base) > 1) printf(", on %.0f cores: no split on fewer has run", splits__cores(base));
        puts("");
    }
    if (repeat > 1 && request->disturb)
        splits__print_disturbed(all, count, repeat);
    else if (repeat > 1)
        splits__print_basis(all, count, repeat);
    for (int i = 0; i < count; ++i) remarks += all[i].ran && all[i].remarks > 0;
    if (remarks > 0)
        printf(
            "%d run%s wrote something to standard error, such as warnings, which simrun with that split alone shows\n",
            remarks, remarks == 1 ? "" : "s");
    for (int i = 0; i < count; ++i)
        if (all[i].reason[0])
            printf("left out: ranks %ld, threads %ld: %s\n", all[i].ranks, all[i].threads, all[i].reason);
}

/* Marks of a logarithmic axis of times at 1, 2, 5, 10 and so on. Returns how many. */
static int splits__time_marks(double from, double to, svg_mark *marks, char (*texts)[16], int room)
{
    static const double steps[] = { 1, 2, 5 };
    int count = 0;
    for (int power = (int)floor(log10(from)); pow(10, power) <= to; ++power)
        for (int k = 0; k < 3 && count < room; ++k) {
            const double at = steps[k] * pow(10, power);
            if (at < from || at > to) continue;
            snprintf(texts[count], sizeof texts[count], "%.3g", at);
            marks[count] = (svg_mark){ at, texts[count] };
            ++count;
        }
    return count;
}

/* A mark at each number of cores, unless it is too near to the one before. */
static int splits__core_marks(const split *all, int count, svg_mark *marks, char (*texts)[16], int room)
{
    const double nearest = 1.3; /* numbers of three digits do not touch on an axis for 256 times as many */
    int marked = 0;
    for (double at = 0; marked < room;) {
        double next = INFINITY;
        for (int i = 0; i < count; ++i)
            if (all[i].ran && splits__cores(&all[i]) > at * nearest) next = fmin(next, splits__cores(&all[i]));
        if (!(next < INFINITY)) break;
        at = next;
        snprintf(texts[marked], sizeof texts[marked], "%.0f", at);
        marks[marked] = (svg_mark){ at, texts[marked] };
        ++marked;
    }
    return marked;
}

/* Time against cores, both logarithmic, with a line for each number of threads. */
static bool splits__draw(FILE *file, const char *program, const split *all, int count, const numbers *threads)
{
    enum { ROOM = 64 };
    static char texts[2][ROOM][16];
    svg_mark marks[2][ROOM];
    svg s;
    char title[160], name[64];
    const split *best = splits__best(all, count, false), *base = splits__best(all, count, true);
    double cores = 0, slowest = 0;
    for (int i = 0; i < count; ++i)
        if (all[i].ran) cores = fmax(cores, splits__cores(&all[i])), slowest = fmax(slowest, all[i].seconds);
    const double ideal = base->seconds * splits__cores(base) / cores, low = fmin(ideal, best->seconds) / 1.15;
    svg_axis x = { .label = "cores", .from = splits__cores(base) / 1.1, .to = cores * 1.1, .unit = "" };
    svg_axis y = { .label = "time [s]", .from = low, .to = slowest * 1.15, .unit = "" };
    x.marks = marks[0];
    x.mark_count = splits__core_marks(all, count, marks[0], texts[0], ROOM);
    y.marks = marks[1];
    y.mark_count = splits__time_marks(y.from, y.to, marks[1], texts[1], ROOM);
    const char *slash = strrchr(program, '/');
    snprintf(title, sizeof title, "%.60s: ranks and threads", slash ? slash + 1 : program);
    svg_start(&s, file, title, 800, 440);
    s.legend_left = 594; /* room for the words of the fastest split */
    svg_plot(&s, 70, 570, x, y);
    svg_begin(&s, SVG_DASHED, svg_colours[SVG_COLOURS - 1], "efficiency 100 %");
    svg_at(&s, splits__cores(base), base->seconds);
    svg_at(&s, cores, ideal);
    svg_end(&s);
    for (int t = 0; t < threads->count; ++t)
        for (int pass = 0, any = 0; pass < 2; ++pass) { /* a line, then its points */
            const char *colour = svg_colours[t % (SVG_COLOURS - 1)];
            snprintf(name, sizeof name, "%ld thread%s", threads->list[t], threads->list[t] == 1 ? "" : "s");
            for (int i = 0; i < count; ++i) {
                if (all[i].threads != threads->list[t] || !all[i].ran) continue;
                if (!any++) svg_begin(&s, pass ? SVG_POINTS : SVG_LINE, colour, pass ? NULL : name);
                svg_at(&s, splits__cores(&all[i]), all[i].seconds);
            }
            if (any) svg_end(&s);
            any = 0;
        }
    snprintf(name, sizeof name, "fastest: %ld x %ld thread%s", best->ranks, best->threads,
             best->threads == 1 ? "" : "s");
    svg_begin(&s, SVG_POINTS, "black", name);
    svg_at(&s, splits__cores(best), best->seconds);
    svg_end(&s);
    return svg_close(&s);
}

/*=============================================================================
 * MARK: - >>all of it
 *===========================================================================*/
/* Makes all splits of the lists, and leaves out those that do not fit. Returns how many fit. */
static int splits__list(split *all, const numbers *ranks, const numbers *threads, char *const *argv)
{
    int fitting = 0, number = 0;
    for (int t = 0; t < threads->count; ++t)
        for (int r = 0; r < ranks->count; ++r, ++number) {
            split *s = &all[number];
            *s = (split){ .ranks = ranks->list[r], .threads = threads->list[t] };
            splits__fit(s, argv);
            if (!s->reason[0]) ++fitting;
        }
    return fitting;
}

int splits_run(const splits_request *request)
{
    const numbers ranks = splits__numbers("-np", request->ranks),
                  threads = splits__numbers("--threads", request->threads);
    const int count = ranks.count * threads.count;
    int number = 0, status = 0;
    FILE *picture = NULL;
    const char *how = getenv("SIMKIT_RANKS");
    if (threads.list[threads.count - 1] > 1 && how && strcmp(how, "together") == 0)
        simrun_stop("--ranks together: threads of such ranks are charged one after another, expected one thread");
    if (getenv("SIMKIT_TRACE")) simrun_stop("--trace, or SIMKIT_TRACE: expected with one split only");
    if (getenv("SIMKIT_REPORT") && strcmp(getenv("SIMKIT_REPORT"), "none") != 0)
        simrun_stop("--report, or SIMKIT_REPORT: expected with one split only; the table has its figures");
    split *all = calloc((size_t)count, sizeof *all);
    if (!all) simrun_stop("no memory");
    const int fitting = splits__list(all, &ranks, &threads, request->argv);
    if (fitting == 0)
        simrun_stop("no split fits the machine: with ranks %ld and threads %ld, the smallest, %s", all[0].ranks,
                    all[0].threads, all[0].reason);
    if (request->svg && !(picture = fopen(request->svg, "we")))
        simrun_stop("--svg %s: %s", request->svg, strerror(errno));
    for (int i = 0; i < count; ++i) {
        if (all[i].reason[0]) continue;
        splits__progress(&all[i], ++number, fitting);
        const bool ran = splits__run(&all[i], request);
        splits__progress(NULL, 0, 0);
        if (!ran && status == 0) status = all[i].status;
    }
    splits__print(all, count, request);
    const split *best = splits__best(all, count, false);
    if (picture && !(best && best->seconds > 0)) {
        fclose(picture);
        unlink(request->svg);
        fprintf(stderr, "simrun: --svg %s: no picture, as %s\n", request->svg,
                best ? "the fastest run took no time" : "no run succeeded");
    } else if (picture && !splits__draw(picture, request->argv[0], all, count, &threads)) {
        simrun_stop("--svg %s: it could not be written", request->svg);
    }
    free(all);
    return status;
}
