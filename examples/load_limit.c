/* Why does the load oscillate when builds start jobs while the load average is below a limit (make -l, ninja -l)?
 * cc -O2 -DSIMKIT_STATIC -I. examples/load_limit.c -o load_limit -lm && ./load_limit        (--svg FILE draws it)
 *
 * Twelve builds, each with -j 64 -l 128, on 64 cores. A load average lags by a minute: jobs start before it rises, and
 * none start until it has fallen. With these options a user of several builds saw a load of 562 with ninja and of 132
 * with make 4.4, which counts runnable processes (ninja issue 2218). Beside others: -l 64, and 64 processes of nice 19. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "svg.h"

typedef enum rule { NINJA, NINJA_ROOM, MAKE_4_3, OWN, PRESSURE, MAKE_4_4, JOBSERVER, SLOWDOWN, RULES } rule;
enum { CORES = 64, BUILDS = 12, EACH = 64, END = 3600, SAMPLES = END / 5 + 1 };
static const double mean = 10, tau = 60; /* CPU time of a job, exponential; window of the load average [s] */
static const char *const names[RULES] = { "load average (ninja 1.11)", "limit - load at a time (ninja)",
                                          "load + starts (make 4.3)",  "load - own load + own jobs",
                                          "CPU pressure below 50 %",   "runnable processes (make 4.4)",
                                          "one jobserver for all",     "slowdown by contention.h" };
typedef struct build {
    int jobs, counter;            /* running; make 4.3: started in this second, less those that have ended */
    double second, backlog, load; /* make 4.3: which second, a quarter of the last one's; load of its own jobs */
} build;
static struct machine {
    rule rule;
    double limit, others, jobs, ended, pressure, now, load[SAMPLES]; /* loads: now, and every 5 s */
    contention_kernel_load kernel;
    simkit_random random;
    build builds[BUILDS];
} m;

static bool may_start(build *b, double now)
{
    const double count[2] = { m.jobs + 1, m.others }, weight[2] = { 1024, 15 }; /* of nice levels 0 and 19 */
    double share[2] = { NAN, NAN };
    if (b->jobs == 0 || b->jobs == EACH) return b->jobs == 0; /* one always may */
    if (floor(now) > b->second)
        b->backlog = floor(now) > b->second + 1 ? 0 : 0.25 * b->counter, b->counter = 0, b->second = floor(now);
    if (contention_share_weighted(CORES, 0, 2, weight, count, share) != CONTENTION_OK) return false;
    switch (m.rule) {
    case MAKE_4_3: return m.now + 0.25 * (b->counter + b->backlog) < m.limit;
    case OWN: return m.now - b->load + b->jobs < m.limit;
    case PRESSURE: return m.pressure < 0.5;
    case MAKE_4_4: return m.jobs + m.others + 1 <= m.limit; /* the process that looks runs too */
    case JOBSERVER: return m.jobs < m.limit;
    case SLOWDOWN: return 1 / share[0] <= 1.05 * m.limit / CORES;
    default: return m.now < m.limit;
    }
}

static void ended(simkit_world *world, void *user);
static void look(simkit_world *world, build *b)
{
    double room = m.rule == NINJA_ROOM ? fmax(floor(m.limit - m.now), 1) : EACH;
    for (; room > 0 && may_start(b, simkit_clock_now(world)); --room) {
        const double seconds = simkit_random_exponential(&m.random, mean);
        const simkit_computation_desc job = { .node = 1, .seconds = seconds, .done = ended, .user = b };
        if (simkit_computation_start(world, &job, NULL) != SIMKIT_OK) simkit_world_stop(world);
        ++b->jobs, ++b->counter, ++m.jobs;
    }
}

static void ended(simkit_world *world, void *user)
{
    build *b = (build *)user;
    --b->jobs, --m.jobs, ++m.ended, b->counter -= b->counter > 0;
    look(world, b);
}

/* make looks every second, ninja when a job ends. The kernel samples the load every 5 s, pressure always, summed each 2 s. */
static void tick(simkit_world *world, void *user)
{
    const int second = (int)simkit_clock_now(world);
    if (second % 2 == 0) m.pressure = contention_load_next(1677 / 2048.0, m.pressure, m.jobs + m.others > CORES);
    if (second % 5 == 0) contention_kernel_load_next(&m.kernel, (uint64_t)(m.jobs + m.others));
    m.load[second / 5] = m.now = contention_kernel_load_value(&m.kernel, 0);
    for (build *b = m.builds; b < m.builds + BUILDS; ++b) {
        if (second % 5 == 0) b->load = contention_load_next(1884 / 2048.0, b->load, b->jobs);
        if (m.rule > NINJA_ROOM || second == 0) look(world, b);
    }
    if (simkit_step_after(world, 1, 0, tick, user, NULL) != SIMKIT_OK) simkit_world_stop(world);
}

static bool run(rule how, double limit, int others)
{
    const simkit_computation_desc other = { .node = 1, .seconds = 1e6, .nice = 19 };
    simkit_world *world;
    bool fine = simkit_world_open(NULL, &world) == SIMKIT_OK &&
                simkit_node_add(world, &(simkit_node_desc){ .cores = CORES }, NULL) == SIMKIT_OK;
    m = (struct machine){ .rule = how, .limit = limit, .others = others, .random = simkit_random_stream(world, 0) };
    while (fine && others-- > 0) fine = simkit_computation_start(world, &other, NULL) == SIMKIT_OK;
    fine = fine && !simkit_step_at(world, 0, 0, tick, NULL, NULL) && !simkit_world_run_until(world, END);
    if (!fine) fprintf(stderr, "%s\n", world ? simkit_world_why(world) : "no memory for a world");
    simkit_world_close(world);
    return fine;
}

int main(int argc, char **argv)
{
    const double most = BUILDS * EACH, limit = 128, lag = CORES / mean * tau;
    svg s;
    svg_open(&s, svg_asked(argc, argv), "Load of twelve builds with -j 64 -l 128 on 64 cores", 980, 380);
    svg_plot(&s, 70, 700, (svg_axis){ .label = "time [min]", .to = 20 }, (svg_axis){ .label = "load", .to = 500 });
    s.legend_left = 725;
    printf("jobs start below a limit of        peak: first   later   period   cores used   beside others\n");
    for (rule r = NINJA; r < RULES; ++r) {
        if (!run(r, 64, 64)) return 1;
        double peak[2] = { 0, 0 }, sum = 0, rises = 0, beside = m.ended * mean / END;
        if (!run(r, limit, 0)) return 1;
        svg_begin(&s, SVG_LINE, svg_colours[r], names[r]);
        for (int i = 0; i < SAMPLES; ++i) {
            peak[i >= 120] = fmax(peak[i >= 120], m.load[i]);
            sum += i >= 120 ? m.load[i] : 0;
            if (i <= 240) svg_at(&s, i / 12.0, m.load[i]);
        }
        svg_end(&s);
        const double middle = r == PRESSURE ? sum / (SAMPLES - 120) : limit;
        for (int i = 120; i < SAMPLES && peak[1] > 1.02 * middle; ++i)
            rises += m.load[i] >= middle && m.load[i - 1] < middle;
        printf("%-33s %13.0f %7.0f %6.0f s %12.1f %15.1f\n", names[r], peak[0], peak[1], (END - 600) / rises,
               m.ended * mean / END, beside);
    }
    const double load = most * (1 - exp(-5 / tau * ceil(tau / 5 * log(most / (most - limit)))));
    printf("theory: at first %.0f, ", most - lag * log((most + lag - load) / lag));
    const double left = most + lag - limit - (most - limit) * (1 - exp(-5 / tau)), drain = (most - BUILDS) / lag;
    const double idle = log((lag - left * exp(-drain)) / (limit - BUILDS));
    printf("then, if all start again, %.0f every %.0f s\n", most - lag * log(left / lag), 5 + tau * (drain + idle));
    return !svg_close(&s);
}
