/* main.c - build/server: a cluster server from the command line, simulated or for real */
#define _DEFAULT_SOURCE
#include "plugin.h"
#include "policies.h"
#include "programs.h"
#include "real.h"
#include "report.h"
#include "simulate.h"
#include "workload.h"

#include "../interval_machine.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { POLICIES = 16, FAILURES = 64, DRAWS = 20, MOST_DRAWS = 999 };
enum { FOLDER = 800, PATH = FOLDER + 24 }; /* bytes of the path of a folder, and of that of a file in it */

static const char usage[] =
    "server WORKLOAD [OPTIONS]          run the jobs of a file: a log (.swf), or a file of our own (.jobs); either may be\n"
    "                                   compressed (.gz); - is a log on standard input\n"
    "server --synthetic JOBS [OPTIONS]  run jobs of the model of Lublin and Feitelson\n"
    "\n"
    "  --policy NAME[,NAME...]  policies to compare; a shared object may follow --policy as ./NAME.so\n"
    "  --policies               list them, and stop\n"
    "  --nodes N                size of the cluster; default: what the file says, 128 for --synthetic\n"
    "  --machine FILE           nodes and network, for jobs that compute and send there and for programs\n"
    "  --place HOW              which of the machine's nodes: block, round-robin over its clusters, or a file with a "
    "node\n"
    "                           in each line; default: block\n"
    "  --draws N                simulated: intervals include the errors of the machine file: N more runs draw its\n"
    "                           values that have an error, as '58 us +- 2 us'; default: 20\n"
    "  --seeds FIRST..LAST      synthetic jobs: a run for each seed, with 95 % intervals; default: 1..1\n"
    "  --load X                 synthetic jobs: work per capacity; default: as the model has it\n"
    "  --moldable X, --malleable X  synthetic jobs: these parts of them; default: 0\n"
    "  --estimates F            synthetic jobs: users request up to 1 + F times the run time; default: 0\n"
    "  --fail NODE@FROM[-UNTIL] a node fails at a time [s], and is repaired at another; may be said again\n"
    "  --kill-late              rigid jobs are killed when the time that they requested is over\n"
    "  --out DIR                a CSV of jobs, pictures and a trace, in a folder for each policy; a summary of all\n"
    "  --real                   start the programs for real, in real seconds\n"
    "  --launch WORDS           real: before each process, such as 'ssh node%d'; %d is the node, from 0\n"
    "  --address ADDRESS        real: where a node listens, such as '10.0.0.%e'; %e is the node, from 1\n"
    "\n"
    "examples:\n"
    "  server examples/server/mixed.jobs --machine examples/machines/programs.machine --out DIR\n"
    "  server --synthetic 2000 --nodes 128 --load 0.8 --policy fcfs,easy,conservative --seeds 1..10\n"
    "  server --synthetic 500 --malleable 0.5 --policy easy,average:period=10,efficiency\n";

static const char known[] =
    "  fcfs                  in the order of submission\n"
    "  sjf                   shortest estimate first\n"
    "  easy                  EASY backfilling: jobs may overtake if the first one that waits is not delayed\n"
    "  conservative          backfilling with a reservation for each job\n"
    "  easy-nodes            as easy, with a reservation of particular nodes\n"
    "  conservative-nodes    as conservative, with reservations of particular nodes\n"
    "  equi                  equal shares for malleable jobs\n"
    "  minimum               malleable jobs at their minimum; what is left goes to them in order\n"
    "  preferred             likewise, at their preferred size\n"
    "  average               likewise, halfway between minimum and maximum\n"
    "  efficiency            each node to the job that uses it best, while its efficiency is at least 0.5\n"
    "  ./NAME.so[:ARGUMENTS] of a shared object, see plugin.h\n"
    "The five for malleable jobs take options: average:period=10 is asked every 10 s as well,\n"
    "efficiency:threshold=0.7 wants more efficiency.\n";

typedef struct failure {
    unsigned node;
    double from, until;
} failure;

typedef struct options {
    const char *file, *machine_file, *place, *out, *launch, *address, *self;
    const char *policies[POLICIES];
    char *list; /* what policies point into */
    size_t policy_count, failure_count;
    failure failures[FAILURES];
    unsigned nodes, draws;
    bool real, kill_late, draws_said;
    uint64_t first_seed, last_seed;
    workload *loaded; /* of `file`, until it is run */
    workload_model model; /* jobs: 0 without --synthetic */
    simkit_machine *machine;
    uint32_t *places; /* places[nodes] of the run: what --place means; NULL: block */
} options;

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static bool
fails(const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "server: ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    return false;
}

/*=============================================================================
 * MARK: - >>progress
 *===========================================================================*/
/* What is shown on a terminal while a run lasts. */
static struct progress {
    const char *policy;
    report *report;
    size_t ended, jobs;
    double shown; /* when [s] */
    bool on;
} progress;

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void clear_progress(void)
{
    if (progress.on) fprintf(stderr, "\r\033[K");
}

static void changed(void *user, const server *s, server_number job, double time)
{
    (void)user;
    report_changed(progress.report, s, job, time);
    const server_state state = server_job_of(s, job)->state;
    progress.ended += state == SERVER_ENDED || state == SERVER_KILLED;
    if (!progress.on || wall() < progress.shown + 0.1) return;
    progress.shown = wall();
    fprintf(stderr, "\r%s: %lu of %lu jobs have ended, at %.4g s\033[K", progress.policy, (unsigned long)progress.ended,
            (unsigned long)progress.jobs, time);
}

static void says(void *user, const server *s, server_number job, const char *text)
{
    (void)user;
    clear_progress();
    fprintf(stderr, "at %.2f s: job %llu:%s\n", server_now(s), (unsigned long long)server_job_of(s, job)->desc.name,
            *text ? text : " done");
}

/*=============================================================================
 * MARK: - >>command line
 *===========================================================================*/
static bool read_number(const char *option, const char *text, double least, double most, bool whole, double *number)
{
    char *end, expected[120];
    const double value = text ? strtod(text, &end) : NAN;
    if (text && end > text && *end == 0 && value >= least && value <= most && (!whole || floor(value) >= value)) {
        *number = value;
        return true;
    }
    snprintf(expected, sizeof expected, "expected %s number from %g to %g", whole ? "a whole" : "a", least, most);
    fprintf(stderr, "server: %s %s: %s\n", option, text ? text : "(nothing)", expected);
    return false;
}

static bool read_seeds(options *o, const char *text)
{
    char *end = NULL;
    const unsigned long long first = text ? strtoull(text, &end, 10) : 0;
    if (text && end > text && *end == 0 && first > 0) { /* a number of seeds */
        o->first_seed = 1;
        o->last_seed = first;
        return true;
    }
    if (text && end > text && strncmp(end, "..", 2) == 0) {
        const char *from = end + 2;
        o->first_seed = first;
        o->last_seed = strtoull(from, &end, 10);
        if (end > from && *end == 0 && o->last_seed >= first && o->last_seed - first < 100000) return true;
    }
    return fails("--seeds %s: expected FIRST..LAST or a number of seeds, such as 1..10 or 10",
                 text ? text : "(nothing)");
}

static bool read_failure(options *o, const char *text)
{
    char *end = NULL;
    failure f = { 0, 0, INFINITY };
    f.node = text ? (unsigned)strtoul(text, &end, 10) : 0;
    bool right = text && end > text && *end == '@';
    if (right) {
        const char *from = end + 1;
        f.from = strtod(from, &end);
        right = end > from && f.from >= 0 && f.from < INFINITY;
    }
    if (right && *end == '-') {
        const char *from = end + 1;
        f.until = strtod(from, &end);
        right = end > from && f.until > f.from && f.until < INFINITY;
    }
    if (!right || *end)
        return fails("--fail %s: expected NODE@FROM or NODE@FROM-UNTIL in seconds, such as 3@100-200",
                     text ? text : "(nothing)");
    if (o->failure_count == FAILURES) return fails("--fail %s: there are %d failures already", text, FAILURES);
    o->failures[o->failure_count++] = f;
    return true;
}

static bool read_policies(options *o, const char *text)
{
    free(o->list);
    o->list = text ? strdup(text) : NULL;
    o->policy_count = 0;
    if (text && !o->list) return fails("--policy: no memory");
    char *save = NULL;
    for (char *name = o->list ? strtok_r(o->list, ",", &save) : NULL; name; name = strtok_r(NULL, ",", &save)) {
        if (o->policy_count == POLICIES) return fails("--policy: at most %d can be compared", POLICIES);
        for (size_t i = 0; i < o->policy_count; ++i)
            if (strcmp(o->policies[i], name) == 0) return fails("--policy: %s is there twice", name);
        o->policies[o->policy_count++] = name;
    }
    return o->policy_count > 0 || fails("--policy: expected a name; --policies lists them");
}

static bool take_option(options *o, const char *name, const char *value, int *taken)
{
    double number = 0;
    bool right = true;
    *taken = 2;
    if (strcmp(name, "--policy") == 0) {
        right = read_policies(o, value);
    } else if (strcmp(name, "--nodes") == 0) {
        right = read_number(name, value, 1, 1e6, true, &number);
        o->nodes = (unsigned)number;
    } else if (strcmp(name, "--synthetic") == 0) {
        right = read_number(name, value, 1, 1e7, true, &number);
        o->model.jobs = (size_t)number;
    } else if (strcmp(name, "--seeds") == 0) {
        right = read_seeds(o, value);
    } else if (strcmp(name, "--draws") == 0) {
        right = read_number(name, value, 0, MOST_DRAWS, true, &number);
        o->draws = (unsigned)number;
        o->draws_said = true;
    } else if (strcmp(name, "--load") == 0) {
        right = read_number(name, value, 0.01, 100, false, &o->model.load);
    } else if (strcmp(name, "--moldable") == 0) {
        right = read_number(name, value, 0, 1, false, &o->model.moldable);
    } else if (strcmp(name, "--malleable") == 0) {
        right = read_number(name, value, 0, 1, false, &o->model.malleable);
    } else if (strcmp(name, "--estimates") == 0) {
        right = read_number(name, value, 0, 1000, false, &o->model.overestimate);
    } else if (strcmp(name, "--fail") == 0) {
        right = read_failure(o, value);
    } else if (strcmp(name, "--machine") == 0 && value) {
        o->machine_file = value;
    } else if (strcmp(name, "--place") == 0 && value) {
        o->place = value;
    } else if (strcmp(name, "--out") == 0 && value) {
        o->out = value;
    } else if (strcmp(name, "--launch") == 0 && value) {
        o->launch = value;
    } else if (strcmp(name, "--address") == 0 && value) {
        o->address = value;
    } else if (strcmp(name, "--real") == 0) {
        o->real = true;
        *taken = 1;
    } else if (strcmp(name, "--kill-late") == 0) {
        o->kill_late = true;
        *taken = 1;
    } else {
        right = value ? fails("there is no option %s; --help lists all", name)
                      : fails("%s needs a value, or does not exist; --help lists all", name);
    }
    return right;
}

static bool take_arguments(options *o, int count, char **arguments)
{
    for (int i = 1, taken = 1; i < count; i += taken) {
        taken = 1;
        if (strncmp(arguments[i], "--", 2) != 0) {
            if (o->file) return fails("two workloads, %s and %s: expected one", o->file, arguments[i]);
            o->file = arguments[i];
        } else if (!take_option(o, arguments[i], i + 1 < count ? arguments[i + 1] : NULL, &taken)) {
            return false;
        }
    }
    const bool synthetic = o->model.jobs > 0;
    if (!o->file == !synthetic) return fails("expected a workload file or --synthetic JOBS; --help says more");
    if (!synthetic && (o->model.load > 0 || o->model.moldable > 0 || o->model.malleable > 0 ||
                       o->model.overestimate > 0 || o->last_seed > o->first_seed))
        return fails("--seeds, --load, --moldable, --malleable and --estimates are for --synthetic");
    if (o->model.moldable + o->model.malleable > 1) return fails("--moldable and --malleable are more than 1 together");
    if (o->real && (synthetic || o->kill_late))
        return fails("--real needs a workload of programs, and does not go with --synthetic or --kill-late");
    if (o->place && !o->machine_file)
        return fails("--place %s: it says which nodes of a machine the cluster has, so it needs --machine FILE",
                     o->place);
    if (o->draws_said && (o->real || !o->machine_file))
        return fails("--draws is for simulated runs with --machine FILE, whose values it draws");
    if (o->place && o->real)
        return fails("--place is for simulated runs; with --real, --launch and --address say where");
    if (!o->real && (o->launch || o->address)) return fails("--launch and --address are for --real");
    return true;
}

/*=============================================================================
 * MARK: - >>workloads
 *===========================================================================*/
static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* A file is of a kind if its name ends with `end`, or with `end` and .gz. */
static bool is_kind(const char *name, const char *end)
{
    char packed[16];
    snprintf(packed, sizeof packed, "%s.gz", end);
    return ends_with(name, end) || ends_with(name, packed);
}

/* Reads the workload once: standard input comes only once. */
static bool load(options *o)
{
    simkit_parse_error error = { 0 };
    const simkit_input input = { .path = o->file, .name = strcmp(o->file, "-") == 0 ? "standard input" : NULL };
    simkit_result result;
    if (o->loaded) return true;
    if (strcmp(o->file, "-") == 0 || is_kind(o->file, ".swf"))
        result = workload_read_swf(&input, o->nodes, &o->loaded, &error);
    else if (is_kind(o->file, ".jobs"))
        result = workload_read(&input, &o->loaded, &error);
    else
        return fails("%s: expected a name that ends in .swf (Standard Workload Format), .jobs, .swf.gz or .jobs.gz, or - for a "
                     "log on standard input",
                     o->file);
    return result == SIMKIT_OK || fails("%s", *error.text ? error.text : simkit_result_text(result));
}

static workload *make_workload(options *o, uint64_t seed)
{
    workload *w = NULL;
    if (o->file) {
        if (load(o)) w = o->loaded, o->loaded = NULL;
        return w;
    }
    workload_model model = o->model;
    model.nodes = o->nodes ? o->nodes : 128;
    model.seed = seed;
    const simkit_result result = workload_generate(&model, &w);
    if (result != SIMKIT_OK) fails("the jobs cannot be made: %s", simkit_result_text(result));
    return w;
}

static bool has_kind(const workload *w, server_kind kind)
{
    for (size_t i = 0; i < w->count; ++i)
        if (w->jobs[i].kind == kind) return true;
    return false;
}

/* Whether all jobs can be run as is asked. */
static bool check_jobs(const options *o, const workload *w)
{
    for (size_t i = 0; i < w->count; ++i) {
        const work *does = (const work *)w->jobs[i].work;
        const bool network = does->kind == WORK_SKELETON || does->kind == WORK_PROGRAM;
        const char *name = w->names ? w->names[i] : "";
        if (network && !o->machine && !o->real)
            return fails("%s: job '%s' computes and sends on nodes: say what they are with --machine FILE", o->file,
                         name);
        if (o->real && does->kind != WORK_PROGRAM)
            return fails("%s: job '%s' is not a program, so it cannot run for real", o->file, name);
    }
    return true;
}

static void say_workload(const options *o, const workload *w, unsigned nodes)
{
    char text[512];
    if (!o->file) {
        printf("synthetic: %lu jobs on %u nodes, seeds %llu..%llu\n", (unsigned long)w->count, nodes,
               (unsigned long long)o->first_seed, (unsigned long long)o->last_seed);
        return;
    }
    printf("%s: %lu jobs on %u nodes\n", o->file, (unsigned long)w->count, nodes);
    if (!w->records) return;
    workload_counts_text(w, text, sizeof text);
    printf("%s\n", text);
}

/*=============================================================================
 * MARK: - >>how sure
 *===========================================================================*/
/* Of what kind no job of docs/server.csv was, one of three texts; NULL: all is as there. */
static const char *unlike(const options *o, const workload *w, const char *policy)
{
    static const char *const compared[] = { "easy", "equi", "average", "efficiency" };
    static const char jobs[] = "jobs that are not programs", rule[] = "this policy", failing[] = "nodes that fail";
    const size_t length = strcspn(policy, ":");
    bool known = false;
    for (size_t i = 0; i < sizeof compared / sizeof *compared; ++i)
        known = known || (strlen(compared[i]) == length && memcmp(compared[i], policy, length) == 0);
    for (size_t i = 0; i < w->count; ++i)
        if (((const work *)w->jobs[i].work)->kind != WORK_PROGRAM) return jobs;
    return !known ? rule : o->failure_count > 0 ? failing : NULL;
}

/* Where the intervals of these jobs come from, without what the machine file is not sure of. */
static report_trust trust_in(const options *o, const workload *w, const char *policy, unsigned nodes)
{
    report_trust trust = { .family = interval_family("server") };
    bool predicted = false;
    for (size_t i = 0; i < w->count; ++i) {
        const work_kind kind = ((const work *)w->jobs[i].work)->kind;
        predicted = predicted || kind == WORK_PROGRAM || kind == WORK_SKELETON;
    }
    if (!predicted) {
        trust.none = "the workload says how long its jobs run, and only jobs that compute and send have been compared with real "
                     "runs";
        return trust;
    }
    trust.kind = unlike(o, w, policy);
    trust.reasons = interval_larger(trust.family, nodes) | (interval_unsure(o->machine) ? INTERVAL_UNSURE : 0) |
                    (trust.kind ? INTERVAL_UNLIKE : 0);
    return trust;
}

/*=============================================================================
 * MARK: - >>runs
 *===========================================================================*/
static bool make_policy(const char *name, server_policy *policy)
{
    char why[200] = "";
    const server_result result = policies_make(name, policy);
    if (result == SERVER_OK) return true;
    if (result == SERVER_NO_MEMORY) return fails("no memory for policy %s", name);
    if (strchr(name, '/')) return plugin_make(name, policy, why) == SERVER_OK || fails("%s", why);
    return fails("there is no policy '%s', or it has no such option. There are:\n%s", name, known);
}

/* A run in progress, simulated or real. */
typedef struct run {
    simulate *sim;
    real *real;
    server *server;
} run;

static void close_run(run *r)
{
    simulate_close(r->sim);
    real_close(r->real);
}

static bool open_run(const options *o, const simkit_machine *machine, const char *name, unsigned nodes, run *r)
{
    server_policy policy;
    server_result result;
    if (!make_policy(name, &policy)) return false;
    if (o->real) {
        const real_desc desc = { .nodes = nodes,
                                 .policy = policy,
                                 .program = o->self,
                                 .launch = o->launch,
                                 .address = o->address,
                                 .machine = o->machine_file,
                                 .keep = o->out != NULL,
                                 .changed = changed,
                                 .says = says };
        result = real_open(&desc, &r->real);
        if (result == SERVER_OK) r->server = real_server(r->real);
    } else {
        const simulate_desc desc = { .nodes = nodes,
                                     .policy = policy,
                                     .machine = machine,
                                     .places = o->places,
                                     .keep = o->out != NULL,
                                     .changed = changed };
        result = simulate_open(&desc, &r->sim);
        if (result == SERVER_OK) r->server = simulate_server(r->sim);
    }
    if (result != SERVER_OK) return fails("policy %s cannot be opened: no memory, or too many nodes", name);
    for (size_t i = 0; i < o->failure_count; ++i) {
        const failure *f = &o->failures[i];
        result = r->sim ? simulate_failure(r->sim, f->node, f->from, f->until)
                        : real_failure(r->real, f->node, f->from, f->until);
        if (result == SERVER_OK) continue;
        fprintf(stderr, "server: --fail %u@%g: there are %u nodes, from 0\n", f->node, f->from, nodes);
        return false;
    }
    return true;
}

static bool write_all(const report *r, const char *folder)
{
    static const struct file {
        const char *name;
        bool (*write)(const report *r, const char *path, char why[REPORT_WHY]);
    } files[] = { { "jobs.csv", report_write_jobs },
                  { "gantt.svg", report_draw_gantt },
                  { "utilization.svg", report_draw_utilization },
                  { "efficiency.svg", report_draw_efficiency },
                  { "trace.json", report_write_trace } };
    char path[PATH], why[REPORT_WHY];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) return fails("%s: %s", folder, strerror(errno));
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        if (!files[i].write(r, path, why)) return fails("%s", why);
    }
    printf("%s: jobs.csv, gantt.svg, utilization.svg, efficiency.svg, trace.json\n", folder);
    return true;
}

/* Where the files of a policy go: a folder of its own if there are several. */
static bool folder_of(const options *o, const char *policy, char path[FOLDER])
{
    const char *base = strrchr(policy, '/') ? strrchr(policy, '/') + 1 : policy;
    const int length =
        snprintf(path, FOLDER, "%s%s%s", o->out, o->policy_count > 1 ? "/" : "", o->policy_count > 1 ? base : "");
    if (length >= 0 && length < FOLDER) return true;
    return fails("--out: the path of a policy's folder is longer than %d characters: %s", FOLDER - 1, path);
}

/* Jobs that the run has left behind are named on standard error: in a table they may be overlooked. */
static void say_waiting(const char *policy, const report_summary *m, unsigned nodes)
{
    if (m->waiting > 0)
        fprintf(stderr, "server: policy %s leaves %lu of %lu jobs waiting, though nothing runs any more on %u nodes\n", policy,
                (unsigned long)m->waiting, (unsigned long)m->jobs, nodes);
    if (m->expected > 0)
        fprintf(stderr, "server: policy %s: %lu of %lu jobs were never submitted, because jobs that they follow never ended\n",
                policy, (unsigned long)m->expected, (unsigned long)m->jobs);
}

/* Runs all jobs, on the machine as it stands or as it was drawn. `*finished` is the report on them. */
static bool run_jobs(const options *o, const simkit_machine *machine, const char *name, const workload *w, unsigned nodes,
                     report_keep keep, report **finished)
{
    run r = { 0 };
    const report_desc desc = { keep, name, NULL, NULL };
    progress.policy = name;
    progress.ended = 0;
    progress.jobs = w->count;
    *finished = NULL;
    if (report_open(&desc, &progress.report) != SERVER_OK) return fails("no memory for a report");
    bool done = open_run(o, machine, name, nodes, &r);
    for (size_t i = 0; i < w->count && done; ++i)
        if (server_submit(r.server, &w->jobs[i], NULL) != SERVER_OK) done = fails("no memory for the jobs");
    if (done) {
        const server_result result = r.sim ? simulate_run(r.sim) : real_run(r.real);
        clear_progress();
        if (result != SERVER_OK)
            done = fails("policy %s: %s", name, *server_why(r.server) ? server_why(r.server) : "no memory");
    }
    if (done && report_finish(progress.report, r.server) != SERVER_OK) done = fails("no memory for a report");
    if (done)
        *finished = progress.report;
    else
        report_close(progress.report);
    close_run(&r);
    return done;
}

/* Runs all jobs in worlds whose machine has other draws of the values that have an error. Policies know what the file says. */
static bool run_draws(const options *o, const char *name, const workload *w, unsigned nodes, report_spread *spread)
{
    bool done = true;
    for (unsigned draw = 1; draw <= o->draws && done; ++draw) {
        simkit_machine *machine;
        simkit_parse_error error = { 0 };
        report *r;
        if (simkit_machine_read(&(simkit_input){ .path = o->machine_file, .draw = draw }, &machine, &error) != SIMKIT_OK)
            return fails("draw %u: %s", draw, *error.text ? error.text : "no memory for the machine file");
        done = run_jobs(o, machine, name, w, nodes, REPORT_SUMS, &r);
        if (done) report_spread_add(spread, r);
        if (done) report_close(r);
        simkit_machine_close(machine);
    }
    return done;
}

/* Gives the times of a report their intervals, which a real run has not. */
static bool trust_report(const options *o, const char *name, const workload *w, unsigned nodes, report *r, report_trust *trust)
{
    report_spread *spread = NULL;
    *trust = trust_in(o, w, name, nodes);
    if (!trust->none && o->machine && o->machine->errors > 0 && o->draws > 1) {
        if (report_spread_open(w->count, &spread) != SERVER_OK) return fails("no memory for a spread");
        trust->spread = spread;
        trust->worlds = o->draws;
    }
    const bool done = !spread || run_draws(o, name, w, nodes, spread);
    if (done) report_trusts(r, trust);
    report_spread_close(spread);
    trust->spread = NULL;
    return done;
}

static bool run_policy(const options *o, const char *name, const workload *w, unsigned nodes, bool alone,
                       report_sample *sample, report_trust *trust)
{
    char folder[FOLDER];
    report *r;
    const bool files = o->out && o->first_seed == o->last_seed;
    if (!run_jobs(o, o->machine, name, w, nodes, files ? REPORT_RANGES : REPORT_CHANGES, &r)) return false;
    bool done = o->real || trust_report(o, name, w, nodes, r, trust);
    if (done) {
        *sample = (report_sample){ name, *report_summary_of(r) };
        if (alone) report_print(r, stdout);
        if (alone && !o->real) report_print_trust(trust, stdout);
        say_waiting(name, &sample->summary, nodes);
        if (files) done = folder_of(o, name, folder) && write_all(r, folder);
    }
    report_close(r);
    return done;
}

/* The places of the cluster's nodes. */
static bool place_nodes(options *o, unsigned nodes)
{
    char why[200] = "no memory";
    if (!o->place) return true;
    free(o->places);
    o->places = (uint32_t *)malloc(nodes * sizeof *o->places);
    return (o->places && flowgraph_places(o->machine, o->place, nodes, o->places, why) == FLOWGRAPH_OK &&
            flowgraph_places_check(o->machine, nodes, o->places, why) == FLOWGRAPH_OK) ||
           fails("--place: %s", why);
}

/* Rigid jobs are killed when the time is over that they requested. A log's estimate has been raised to the run time where that was
 * longer: there it is the requested time again. */
static void limit_jobs(workload *w)
{
    for (size_t i = 0; i < w->count; ++i) {
        server_job_desc *job = &w->jobs[i];
        const double requested = w->record ? w->records[w->record[i]].field[WORKLOAD_TIME] : job->estimate;
        if (job->kind != SERVER_RIGID || !(requested > 0) || !isfinite(requested)) continue;
        job->estimate = job->limit = requested;
    }
}

/* All policies with one seed. */
static bool run_seed(options *o, uint64_t seed, report_sample *samples, report_trust *trust)
{
    workload *w = make_workload(o, seed);
    if (!w) return false;
    programs *set = NULL;
    char why[200];
    bool done = true;
    const unsigned nodes = o->nodes ? o->nodes : w->nodes;
    if (nodes == 0) done = fails("%s does not say how many nodes the cluster has: use --nodes N", o->file);
    if (done && w->count == 0) done = fails("%s has no jobs", o->file);
    if (done) done = check_jobs(o, w) && place_nodes(o, nodes);
    if (done && programs_open(o->machine, o->places, &set) != FLOWGRAPH_OK) done = fails("no memory");
    if (o->kill_late) limit_jobs(w);
    for (size_t i = 0; i < w->count && done && o->machine; ++i)
        if (programs_prepare(set, &w->jobs[i], nodes, why) != FLOWGRAPH_OK)
            done = fails("job '%s': %s", w->names ? w->names[i] : "", why);
    if (done && seed == o->first_seed) say_workload(o, w, nodes);
    const bool alone = o->policy_count == 1 && o->first_seed == o->last_seed;
    for (size_t i = 0; i < o->policy_count && done; ++i)
        done = run_policy(o, o->policies[i], w, nodes, alone, &samples[i], &trust[i]);
    programs_close(set);
    workload_close(w);
    return done;
}

/* Policies that suit the jobs. */
static bool choose_policies(options *o)
{
    if (o->policy_count > 0) return true;
    bool malleable = o->model.malleable > 0;
    if (o->file) {
        if (!load(o)) return false;
        malleable = has_kind(o->loaded, SERVER_MALLEABLE);
    }
    return read_policies(o, malleable ? "easy,equi,average,efficiency" : "fcfs,sjf,easy,conservative");
}

/* Says of all policies where their intervals come from: once if it is the same for all. */
static void say_trust(const options *o, const report_trust *trust)
{
    bool same = true;
    for (size_t i = 1; i < o->policy_count; ++i)
        same = same && trust[i].reasons == trust[0].reasons && trust[i].kind == trust[0].kind;
    for (size_t i = 0; i < (same ? 1 : o->policy_count); ++i) {
        if (!same) printf("%s: ", o->policies[i]);
        report_print_trust(&trust[i], stdout);
    }
}

static bool run_all(options *o)
{
    char folder[FOLDER], path[PATH], why[REPORT_WHY];
    simkit_parse_error error = { 0 };
    if (o->machine_file &&
        simkit_machine_read(&(simkit_input){ .path = o->machine_file }, &o->machine, &error) != SIMKIT_OK)
        return fails("%s", *error.text ? error.text : "no memory for the machine file");
    if (!choose_policies(o)) return false;
    for (size_t i = 0; i < o->policy_count; ++i) { /* before hours of the others */
        server_policy policy;
        if (!make_policy(o->policies[i], &policy)) return false;
        if (policy.close) policy.close(policy.state);
        if (o->out && !folder_of(o, o->policies[i], folder)) return false;
    }
    if (o->out && mkdir(o->out, 0777) != 0 && errno != EEXIST) return fails("%s: %s", o->out, strerror(errno));
    const size_t seeds = (size_t)(o->last_seed - o->first_seed) + 1, count = seeds * o->policy_count;
    report_sample *samples = (report_sample *)calloc(count, sizeof *samples);
    bool done = samples != NULL || fails("no memory for the results");
    report_trust trust[POLICIES] = { { 0 } };
    for (size_t i = 0; i < seeds && done; ++i) done = run_seed(o, o->first_seed + i, samples + i * o->policy_count, trust);
    if (done && count > 1) report_print_policies(samples, count, stdout);
    if (done && count > 1 && !o->real) say_trust(o, trust);
    if (done && o->out) {
        snprintf(path, sizeof path, "%s/summary.csv", o->out);
        done = report_write_policies(samples, count, path, why) || fails("%s", why);
        if (done) printf("%s\n", path);
    }
    free(samples);
    return done;
}

int main(int count, char **arguments)
{
    static options o; /* large */
    if (count > 1 && strcmp(arguments[1], "--job") == 0) return job_main(count, arguments);
    if (count < 2 || strcmp(arguments[1], "--help") == 0) {
        fputs(usage, count < 2 ? stderr : stdout);
        return count < 2 ? 2 : 0;
    }
    if (strcmp(arguments[1], "--policies") == 0) {
        fputs(known, stdout);
        return 0;
    }
    o.self = arguments[0];
    o.first_seed = o.last_seed = 1;
    o.draws = DRAWS;
    progress.on = isatty(STDERR_FILENO);
    if (!take_arguments(&o, count, arguments)) {
        free(o.list);
        return 2;
    }
    const bool done = run_all(&o) && fflush(stdout) == 0;
    simkit_machine_close(o.machine);
    workload_close(o.loaded);
    free(o.places);
    free(o.list);
    return !done;
}
