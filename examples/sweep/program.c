/* program.c - sweep_main(): the command line */
#define _DEFAULT_SOURCE
#include "answers.h"
#include "core.h"
#include "pictures.h"
#include "sqlite.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
    "sweep FILE [OPTIONS]   makes the runs of a sweep file that are missing, and says what the results mean\n"
    "\n"
    "  --out FILE.csv    where results are and go; default: the name of FILE, in the current folder\n"
    "  --threads N       runs at a time; default: one for each core, and one for each rank of MPI\n"
    "  --shard I/N       make part I of N, into NAME.I-of-N.csv: for job arrays; cat the parts into NAME.csv\n"
    "  --answers         make no runs: say what the results mean that there are, also while others make runs\n"
    "  --svg FOLDER      draw the pictures that FILE asks for\n"
    "  --sqlite FILE     write the results into a table of a database as well\n"
    "  --retry           make runs that have failed again\n"
    "  --quiet           say nothing but errors\n"
    "  --models          list the models with their parameters and results, and stop\n"
    "\n"
    "On many machines: mpirun -np 64 sweep FILE, or --shard with Slurm or GNU parallel; docs/sweep.md has the lines.\n"
    "The same command goes on where an earlier one was stopped. Exit status: 0; 1 an error; 2 wrong arguments; 3 runs "
    "have\n"
    "failed; 130 stopped.\n";

typedef struct options {
    const char *file, *out, *svg, *sqlite;
    unsigned threads, shard, shards;
    bool answers, retry, quiet, models;
} options;

static int stop; /* by a signal */

static void stops(int signal)
{
    if (__atomic_exchange_n(&stop, 1, __ATOMIC_RELAXED) != 0) _exit(128 + signal); /* somebody is impatient */
}

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static bool
fails(const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "sweep: ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    return false;
}

/*=============================================================================
 * MARK: - >>arguments
 *===========================================================================*/
static bool read_shard(options *o, const char *text)
{
    char *end = NULL;
    const unsigned long shard = text && *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    const unsigned long shards = end && *end == '/' && end[1] >= '0' && end[1] <= '9' ? strtoul(end + 1, &end, 10) : 0;
    if (shard < 1 || shard > shards || shards > 1000000 || *end != 0)
        return fails("--shard %s: expected I/N with I from 1 to N, such as 2/3", text ? text : "(nothing)");
    o->shard = (unsigned)shard;
    o->shards = (unsigned)shards;
    return true;
}

static bool take_value(options *o, const char *name, const char *value)
{
    char *end = NULL;
    if (strcmp(name, "--shard") == 0) return read_shard(o, value);
    if (strcmp(name, "--threads") == 0) {
        const unsigned long threads = value && *value >= '0' && *value <= '9' ? strtoul(value, &end, 10) : 0;
        o->threads = (unsigned)threads;
        return (threads >= 1 && threads <= 4096 && *end == 0) ||
               fails("--threads %s: expected a whole number from 1 to 4096", value ? value : "(nothing)");
    }
    const char **place = strcmp(name, "--out") == 0      ? &o->out
                         : strcmp(name, "--svg") == 0    ? &o->svg
                         : strcmp(name, "--sqlite") == 0 ? &o->sqlite
                                                         : NULL;
    if (!place) return fails("there is no option %s; --help lists all", name);
    if (!value) return fails("%s: expected a path behind it", name);
    *place = value;
    return true;
}

static bool take_arguments(options *o, int count, char **arguments)
{
    for (int i = 1; i < count; ++i) {
        const char *a = arguments[i];
        bool *flag = strcmp(a, "--answers") == 0  ? &o->answers
                     : strcmp(a, "--retry") == 0  ? &o->retry
                     : strcmp(a, "--quiet") == 0  ? &o->quiet
                     : strcmp(a, "--models") == 0 ? &o->models
                                                  : NULL;
        if (flag) {
            *flag = true;
        } else if (*a == '-') {
            if (!take_value(o, a, i + 1 < count ? arguments[i + 1] : NULL)) return false;
            ++i;
        } else if (o->file) {
            return fails("two sweep files, %s and %s: expected one", o->file, a);
        } else {
            o->file = a;
        }
    }
    if (!o->file && !o->models) return fails("expected a sweep file; --help says more");
    if (o->shards > 0 && (o->svg || o->sqlite))
        return fails("--shard makes no answers, so it does not go with --svg and --sqlite");
    if (o->answers && (o->shards > 0 || o->retry))
        return fails("--answers makes no runs, so it does not go with --shard and --retry");
    return true;
}

/* A line about a parameter or a result, with the default of a parameter. */
static void list_quantity(const sweep_quantity *q, bool parameter)
{
    char usual[40] = "";
    if (parameter && q->words) {
        const char *word = q->words;
        for (double i = 0; i < q->value; ++i) word += strcspn(word, ",") + 1;
        snprintf(usual, sizeof usual, "%.*s", (int)strcspn(word, ","), word);
    } else if (parameter) {
        snprintf(usual, sizeof usual, isnan(q->value) ? "needed" : "%.4g", q->value);
    }
    printf("  %-9s  %-13s %-7s %-12s %s\n", parameter ? "parameter" : "result", q->name,
           strcmp(q->unit, "1") == 0 ? "" : q->unit, usual, q->about ? q->about : "");
    if (q->words) printf("  %45s one of %s\n", "", q->words);
}

static void list_models(const sweep_model *models, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const sweep_model *m = &models[i];
        printf("%s%s%s\n", i ? "\n" : "", m->name,
               m->machine == SWEEP_NEEDS     ? ": needs a machine file"
               : m->machine == SWEEP_REFUSES ? ": uses no machine file"
                                             : "");
        if (m->open) printf("  reads the file that the sweep names with 'input'\n");
        for (size_t k = 0; k < m->parameter_count; ++k) list_quantity(&m->parameters[k], true);
        for (size_t k = 0; k < m->result_count; ++k) list_quantity(&m->results[k], false);
    }
}

/*=============================================================================
 * MARK: - >>the run
 *===========================================================================*/
static void show(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "\r%s\033[K", text);
}

static void show_picture(void *user, const char *path)
{
    (void)user;
    printf("%s\n", path);
}

static bool make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST || fails("%s: %s", path, strerror(errno));
}

/* Makes the runs, and clears the line of progress. */
static bool make_runs(const options *o, sweep *s, bool ranks)
{
    const sweep_run_desc desc = { o->threads, &stop, isatty(STDERR_FILENO) && !o->quiet ? show : NULL, NULL };
    const bool done = ranks ? sweep_ranks_run(s, &desc) : sweep_run(s, &desc);
    if (desc.show) fprintf(stderr, "\r\033[K");
    return done || fails("%s", sweep_why(s));
}

static bool say_answers(const options *o, sweep *s)
{
    char why[SWEEP_WHY] = "";
    if (!o->quiet && !answers_print(s, stdout)) return fails("no memory for the answers");
    if (o->sqlite && !sweep_sqlite_write(s, o->sqlite, why)) return fails("%s", why);
    if (!o->svg) return true;
    return make_folder(o->svg) &&
           (pictures_draw(s, o->svg, o->quiet ? NULL : show_picture, NULL, why) || fails("%s", why));
}

static int status_of(const sweep *s, bool done)
{
    if (__atomic_load_n(&stop, __ATOMIC_RELAXED) != 0) return 130;
    return !done ? 1 : sweep_progress(s).failed > 0 ? 3 : 0;
}

/* Rank 0, or the only process. */
static int lead(const options *o, const sweep_desc *desc, bool ranks)
{
    char why[SWEEP_WHY];
    sweep *s;
    const bool open = sweep_open(desc, &s, why);
    if (ranks) sweep_ranks_agree(open);
    if (!open) return fails("%s", why), 1;
    bool done = o->answers || make_runs(o, s, ranks);
    if (done && o->shards > 0 && !o->quiet) {
        const sweep_tally t = sweep_progress(s);
        printf("%s: part %u of %u is complete: %lu runs, %lu failed\n", sweep_path(s), o->shard, o->shards,
               (unsigned long)(t.done + t.failed), (unsigned long)t.failed);
    }
    if (done && o->shards == 0) done = say_answers(o, s);
    done = fflush(stdout) == 0 && done;
    const int status = status_of(s, done);
    sweep_close(s);
    return status;
}

/* Another rank. */
static int follow(sweep_desc desc)
{
    char why[SWEEP_WHY];
    sweep *s;
    desc.bare = true;
    if (!sweep_ranks_agree(true)) return 0; /* rank 0 says why */
    if (!sweep_open(&desc, &s, why)) return fails("%s", why), 1;
    const bool done = sweep_ranks_work(s) || fails("%s", sweep_why(s));
    sweep_close(s);
    return !done;
}

int sweep_main(int count, char **arguments, const sweep_model *models, size_t model_count)
{
    options o = { 0 };
    int rank = 0;
    for (int i = 1; i < count; ++i)
        if (strcmp(arguments[i], "--help") == 0 || strcmp(arguments[i], "-h") == 0) return fputs(usage, stdout) < 0;
    if (count < 2) return fputs(usage, stderr), 2;
    const bool ranks = sweep_ranks_asked();
    if (ranks && !sweep_ranks_open(&count, &arguments, &rank)) return 1;
    int status = 2;
    if (take_arguments(&o, count, arguments)) {
        const sweep_desc desc = { .path = o.file,
                                  .models = models,
                                  .count = model_count,
                                  .results = o.out,
                                  .shard = o.shard,
                                  .shards = o.shards,
                                  .retry = o.retry,
                                  .read_only = o.answers };
        signal(SIGINT, stops);
        signal(SIGTERM, stops);
        if (o.models) {
            if (rank == 0) list_models(models, model_count);
            status = 0;
        } else if (rank > 0) {
            status = o.answers ? 0 : follow(desc);
        } else {
            status = lead(&o, &desc, ranks && !o.answers);
        }
    }
    if (ranks) sweep_ranks_close(status == 1 || status == 130);
    return status;
}
