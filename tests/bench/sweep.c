/* What does a sweep cost beyond its runs, and how much faster is it on all cores?
 *
 * 100 000 predictions of the LU factorization of the DPS paper, n = 2592, r = 324, 8 nodes, with an uncertain bandwidth: in a
 * loop, as a sweep on one thread, and as a sweep on all cores, by turns in five parts, with the median of the ratios. Goals:
 * the sweep takes less than 2 % longer than the loop; two cores are 1.95 times as fast as one. Then a file of a million
 * results is read and summarized, in a process of its own; goals: 2 s, 50 MB. Run from the top of the project. */
#define _GNU_SOURCE
#include "../../examples/sweep/answers.h"
#include "../../examples/sweep/models.h"
#include "lu.h"
#include "measure.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { PARTS = 5, POINTS = 20000, LINES = 1000000 };

static char folder[] = "/tmp/bench-sweep-XXXXXX";

static int fails(const char *why)
{
    fprintf(stderr, "%s\n", why);
    return 1;
}

static const char *at(const char *name)
{
    static char paths[4][100];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static sweep *open_text(const char *text, const sweep_model *model, bool read_only)
{
    char why[SWEEP_WHY];
    sweep *s;
    FILE *file = fopen(at("bench.sweep"), "w");
    if (!file) return NULL;
    fputs(text, file);
    fclose(file);
    if (!read_only) unlink(at("bench.csv"));
    sweep_open(&(sweep_desc){ .path = at("bench.sweep"),
                              .models = model,
                              .count = 1,
                              .results = at("bench.csv"),
                              .read_only = read_only },
               &s, why);
    if (!s) fails(why);
    return s;
}

/* Seconds of a sweep with so many threads; negative after an error. */
static double run(sweep *s, unsigned threads)
{
    const double start = measure_now();
    if (!s || !sweep_run(s, &(sweep_run_desc){ .threads = threads })) return -fails(s ? sweep_why(s) : "");
    return measure_now() - start;
}

/* The same runs in a loop, which sets the bandwidth itself; NaN if a result differs. */
static double loop(simkit_machine *machine, const sweep *s)
{
    const simkit_node_desc node = machine->kinds[0].node;
    const double start = measure_now();
    double worst = 0;
    for (size_t point = 0; point < POINTS; ++point) {
        lu_costs costs;
        lu_outcome outcome;
        double scale;
        sweep_values(s, point, &scale);
        machine->kinds[0].node.up_bandwidth = scale * node.up_bandwidth;
        machine->kinds[0].node.down_bandwidth = scale * node.down_bandwidth;
        lu_costs_of_machine(machine, 2592, 324, 1, &costs);
        if (lu_predict(machine, 8, &(lu_desc){ .n = 2592, .r = 324, .costs = &costs }, NULL, NULL, &outcome) !=
            FLOWGRAPH_OK)
            return NAN;
        worst = fmax(worst, fabs(outcome.seconds / sweep_found(s, point, 0, 0) - 1));
    }
    machine->kinds[0].node = node;
    return worst < 1e-9 ? measure_now() - start : NAN;
}

/* Seconds of so many loops at once, each in a process of its own: what the machine allows; NaN if one fails. */
static double loops(simkit_machine *machine, const sweep *s, unsigned count)
{
    const double start = measure_now();
    bool right = true;
    for (unsigned i = 0; i < count; ++i) {
        const pid_t child = fork();
        if (child == 0) _exit(isnan(loop(machine, s)));
        right = right && child > 0;
    }
    for (int status; wait(&status) > 0;) right = right && status == 0;
    return right ? measure_now() - start : NAN;
}

static int predictions(void)
{
    const unsigned cores = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    double bare = 0, alone = 0, all = 0, more[PARTS], faster[PARTS], possible[PARTS];
    simkit_machine *machine;
    char text[600], here[300];
    if (!getcwd(here, sizeof here)) return fails("no current folder");
    if (simkit_machine_read(&(simkit_input){ .path = "examples/machines/dps.machine" }, &machine, NULL) != SIMKIT_OK)
        return fails("examples/machines/dps.machine cannot be read");
    for (int part = 0; part < PARTS; ++part) {
        measure_progress("sweep of LU factorizations", part + 1, PARTS);
        snprintf(
            text, sizeof text,
            "[sweep]\nmodel = lu\nmachine = %s/examples/machines/dps.machine\ndesign = latin\npoints = %d\nseed = %d\n"
            "[set]\nn = 2592\nr = 324\nnodes = 8\n[parameter bandwidth]\nscales = [node] bandwidth\nlinear = 0.8, "
            "1.2\n",
            here, POINTS, part + 1);
        sweep *s = open_text(text, &model_lu, false);
        const double one = run(s, 1), direct = one > 0 ? loop(machine, s) : NAN;
        const double together = one > 0 ? loops(machine, s, cores) : NAN;
        sweep_close(s);
        s = open_text(text, &model_lu, false);
        const double many = run(s, cores);
        sweep_close(s);
        if (!(one > 0 && many > 0 && direct > 0 && together > 0))
            return fails("a run failed, or differs from that of the loop");
        bare += direct, alone += one, all += many;
        more[part] = 100 * (one / direct - 1);
        faster[part] = one / many;
        possible[part] = cores * direct / together;
    }
    measure_progress("", 0, 0);
    simkit_machine_close(machine);
    measure_sort(more, PARTS);
    measure_sort(faster, PARTS);
    measure_sort(possible, PARTS);
    printf("%d LU predictions: %.1f s in a loop, %.1f s as a sweep on one thread, %.1f s on %u\n", PARTS * POINTS, bare,
           alone, all, cores);
    printf("overhead           %5.2f %%   [%.2f .. %.2f], goal 2 %%\n", more[PARTS / 2], more[0], more[PARTS - 1]);
    printf("speed-up on %u      %5.3f     [%.3f .. %.3f], goal 1.95 on two\n", cores, faster[PARTS / 2], faster[0],
           faster[PARTS - 1]);
    printf("%u processes       %5.3f     [%.3f .. %.3f], a loop in each: what the machine allows\n", cores,
           possible[PARTS / 2], possible[0], possible[PARTS - 1]);
    return 0;
}

/*=============================================================================
 * A million results
 *===========================================================================*/
static const sweep_quantity parameters[] = {
    { "a", "s", 0, NULL, NULL }, { "b", "B/s", 0, NULL, NULL }, { "c", "1", 0, NULL, NULL }, { "d", "1", 0, NULL, NULL }
};
static const sweep_quantity results[] = { { "time", "s", 0, NULL, NULL }, { "cost", "1", 0, NULL, NULL } };

static int product(const sweep_point *point, double *result)
{
    result[0] = point->value[0] * (1 + point->value[2]) + 1e6 / point->value[1];
    result[1] = result[0] * point->value[3];
    return 0;
}

static const sweep_model model = { "product", 1, parameters, 4, results, 2, product, NULL, NULL, SWEEP_MAY, NULL };

static const char million[] =
    "[sweep]\nmodel = product\ndesign = sobol\npoints = 1000000\n[parameter a]\nnormal = 100 s, 10 s\n"
    "[parameter b]\nlogarithmic = 1 MB/s, 100 MB/s\n[parameter c]\nlinear = 0, 1\n[parameter d]\nlinear = 1, 2\n";

/* Reads and summarizes; called in a process of its own. */
static int summarize(void)
{
    const double start = measure_now();
    sweep *s = open_text(million, &model, true);
    FILE *nowhere = fopen("/dev/null", "w");
    if (!s || !nowhere) return 1;
    const double read = measure_now() - start;
    if (sweep_progress(s).done != LINES || !answers_print(s, nowhere)) return fails("results are missing");
    const double seconds = measure_now() - start;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf(
        "a million results: %.2f s to read, %.2f s with their summary, goal 2 s; %.0f MB resident at most, goal 50\n",
        read, seconds, (double)usage.ru_maxrss / 1024);
    fclose(nowhere);
    sweep_close(s);
    return 0;
}

static int lines(void)
{
    int status = 0;
    sweep *s = open_text(million, &model, false);
    const double seconds = run(s, 0);
    sweep_close(s);
    if (!(seconds > 0)) return 1;
    printf("a million runs that do next to nothing: %.2f s\n", seconds);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) { /* the parent's memory is not counted: a new program */
        execl("/proc/self/exe", "sweep", folder, (char *)NULL);
        _exit(1);
    }
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

int main(int count, char **arguments)
{
    if (count > 1) {
        snprintf(folder, sizeof folder, "%s", arguments[1]);
        return summarize();
    }
    if (!mkdtemp(folder)) return fails("no temporary folder");
    const int failed = lines() || predictions();
    unlink(at("bench.sweep"));
    unlink(at("bench.csv"));
    rmdir(folder);
    return failed;
}
