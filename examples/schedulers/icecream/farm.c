/* What is it worth for icecream's scheduler to know how much slower each compile server is?
 *
 *     farm RULE [--seeds N] [--once] [--unused]
 *
 * Twelve machines, some of which others use too, and three developers who build on them, on the virtual clock. icecream's
 * own scheduler decides where each file is compiled, as it is or with our placement patched in.
 * tests/schedulers/icecream gets its source, builds both, runs them and compares.
 *
 *     icecream   the scheduler of icecream 1.4, and daemons that tell it what those of icecream 1.4 do
 *     load       our placement, and the same daemons
 *     count      our placement; every 3 s, daemons tell the number of processes of others
 *     now        the same, and at once when that number changes
 *     late       no scheduler: a file waits until a machine has an idle core
 *     --once     daemons count the CPU time of their jobs once, not three times
 *     --unused   nobody else uses the machines
 *
 * Prints a line for each seed: the mean time of a compilation, its 95th percentile, the mean time of a build [s].
 *
 * A client asks the scheduler for a server, preprocesses the file on its own machine, sends it there, and gets the object
 * file back. A daemon runs as many jobs as it has cores, at nice level 5; the others wait. Left out: compilers that have
 * to be installed first, links, memory, and that a client preprocesses no more files at a time than it has cores. */
#define SIMKIT_STATIC
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "farm.h"
#include "placement.h"

#include <stdlib.h>
#include <string.h>

/* Each developer makes so many builds of so many files, with make -j WIDTH. */
enum { MACHINES = 12, DEVELOPERS = 3, BUILDS = 4, FILES = 300, WIDTH = 32, ALL = DEVELOPERS * BUILDS * FILES };

/* The developers' machines first. Others use `used` of the cores on average, by processes that take two minutes of CPU time. */
static const struct kind {
    unsigned cores;
    double speed, used;
} kinds[MACHINES] = { { 8, 1.0, 0.1 },  { 8, 1.2, 0.1 },  { 16, 1.0, 0.1 }, { 8, 1.0, 0.0 },
                      { 8, 1.5, 0.9 },  { 16, 1.5, 0.8 }, { 4, 0.6, 0.0 },  { 4, 0.6, 0.5 },
                      { 12, 1.2, 0.5 }, { 12, 1.2, 0.0 }, { 16, 0.9, 0.9 }, { 8, 1.5, 0.2 } };
static const double long_job = 120, rest = 30;        /* CPU time of others' processes; between builds [s] */
static const double shortest_job = 0.5, longer = 4.5; /* CPU time of a compilation at speed 1: so much, and more [s] */
static const double preprocessing = 0.08;             /* of the same file [1] */
static const double text = 100e3, object = 60e3, packed = 3; /* for a second of work [B]; compression of objects [1] */
static const double network = 117e6, latency = 200e-6;       /* Gigabit Ethernet [B/s, s] */

typedef struct file {
    int machine, server; /* the client's; where it is compiled, -1: not known yet */
    unsigned job;        /* the scheduler's number */
    double work, bytes;  /* CPU time at speed 1 [s], size of the object file [B] */
    double asked, begun; /* [s] */
    bool sent, runs;     /* all of it has arrived; it has a slot */
    struct file *next;   /* in the queue for a slot */
} file;

typedef struct queue {
    file *first, *last;
} queue;

typedef struct machine {
    simkit_node node;
    simkit_random chance, files; /* of others; of the developer: with any rule they do the same */
    int others, clients,
        working; /* processes of level 0: of others; clients of this machine, and those of them that compute */
    int kids, compiling, local;      /* slots: of jobs that came from elsewhere, and how many compute; of own clients */
    queue own, came;                 /* clients and jobs that wait for a slot */
    double since, idle, nice, ended; /* CPU time since the last statistics [s]; of jobs that have ended, in all */
    double ended_before;
    int load; /* as last computed; icecream begins with -1000 */
    contention_kernel_load average;
    int left, running; /* of the developer's build */
    int builds;
    double build_begun;
} machine;

static struct options {
    bool once;       /* daemons count the CPU time of their jobs once, not three times */
    bool count, now; /* daemons tell the number of processes: every 3 s, at once */
    bool late;       /* no scheduler: a machine with an idle core takes the next file */
    bool unused;     /* nobody else uses the machines */
} options;

static struct farm {
    simkit_world *world;
    simkit_random random; /* the scheduler's */
    machine machines[MACHINES];
    file files[ALL];
    int used;
    queue waiting;                                     /* late: files that nobody has taken */
    double times[ALL], makespans[DEVELOPERS * BUILDS]; /* [s] */
    int done, built;
} f;

static void check(simkit_result result)
{
    if (result == SIMKIT_OK) return;
    fprintf(stderr, "farm: %s\n", simkit_world_why(f.world));
    exit(1);
}

double farm_now(void)
{
    return f.world ? simkit_clock_now(f.world) : 0;
}

uint32_t farm_random(void)
{
    return (uint32_t)(simkit_random_bits(&f.random) >> 32);
}

static int number(const machine *m)
{
    return (int)(m - f.machines);
}

/* Before anything on a machine changes: who has used its cores since the last change. */
static void account(machine *m)
{
    const double now = simkit_clock_now(f.world), cores = kinds[number(m)].cores;
    const double weight[2] = { 1024, contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, 5) };
    const double counts[2] = { m->others + m->working, m->compiling };
    double share[2] = { 0, 0 };
    if (contention_share_weighted(cores, 0, 2, weight, counts, share) != CONTENTION_OK) abort();
    m->idle += (cores - counts[0] * share[0] - counts[1] * share[1]) * (now - m->since);
    m->nice += counts[1] * share[1] * (now - m->since);
    m->since = now;
}

static void compute(machine *m, int *count, double seconds, int nice, simkit_call *done, void *user)
{
    const simkit_computation_desc desc = {
        .node = m->node, .seconds = seconds, .nice = nice, .done = done, .user = user, .background = count == &m->others
    };
    account(m);
    ++*count;
    check(simkit_computation_start(f.world, &desc, NULL));
}

/* --- others ------------------------------------------------------------------------------------------------------- */

static void tell(machine *m)
{
    if (options.late) return;
    scheduler_stats(number(m), (unsigned)m->load, (unsigned)(1000 * (m->others + m->working)), (unsigned)m->clients);
}

static void pull(void);
static void other_ended(simkit_world *world, void *user)
{
    machine *m = (machine *)user;
    (void)world;
    account(m);
    --m->others;
    if (options.now) tell(m);
    pull();
}

static void other_begins(simkit_world *world, void *user)
{
    machine *m = (machine *)user;
    const struct kind *kind = &kinds[number(m)];
    const double seconds = simkit_random_exponential(&m->chance, long_job);
    const double after = simkit_random_exponential(&m->chance, long_job / (kind->speed * kind->cores * kind->used));
    simkit_step step;
    compute(m, &m->others, seconds, 0, other_ended, m);
    check(simkit_step_after(world, after, 0, other_begins, m, &step));
    simkit_step_background(world, step);
    if (options.now) tell(m);
}

/* --- daemons ------------------------------------------------------------------------------------------------------ */

static void push(queue *q, file *x)
{
    x->next = NULL;
    if (q->first)
        q->last->next = x;
    else
        q->first = x;
    q->last = x;
}

static file *pop(queue *q)
{
    file *x = q->first;
    if (x) q->first = x->next;
    return x;
}

static void client_starts(machine *m);
static void client_ends(file *x)
{
    machine *m = &f.machines[x->machine];
    f.times[f.done++] = farm_now() - x->asked;
    --m->clients;
    --m->running;
    client_starts(m);
}

static void next_jobs(machine *m);
static void arrived(simkit_world *world, void *user) /* the object file, at the client */
{
    (void)world;
    client_ends((file *)user);
}

static void compiled(simkit_world *world, void *user)
{
    file *x = (file *)user;
    machine *m = &f.machines[x->server];
    const double user_time = x->work / kinds[x->server].speed;
    account(m);
    --m->compiling;
    --m->kids;
    m->ended += user_time;
    if (!options.late)
        scheduler_done(x->server, x->job, true, 1000 * (farm_now() - x->begun), 1000 * user_time, x->bytes,
                       (unsigned)m->clients);
    const simkit_transfer_desc back = {
        .from = m->node, .to = f.machines[x->machine].node, .bytes = x->bytes / packed, .done = arrived, .user = x
    };
    check(simkit_transfer_start(world, &back, NULL));
    next_jobs(m);
    pull();
}

static void compiled_here(simkit_world *world, void *user)
{
    file *x = (file *)user;
    machine *m = &f.machines[x->machine];
    const double user_time = x->work / kinds[x->machine].speed;
    (void)world;
    account(m);
    --m->working;
    --m->local;
    if (!options.late)
        scheduler_done(x->machine, x->job, false, 1000 * (farm_now() - x->begun), 1000 * user_time, x->bytes,
                       (unsigned)m->clients);
    client_ends(x);
    next_jobs(m);
    pull();
}

static void compile_if_ready(file *x)
{
    machine *m = &f.machines[x->server];
    if (x->sent && x->runs) compute(m, &m->compiling, x->work, 5, compiled, x);
}

/* As handle_old_request() of icecream's daemon: its own clients first; others not while its load is 1000. */
static void next_jobs(machine *m)
{
    while ((unsigned)(m->kids + m->local) < kinds[number(m)].cores) {
        file *x = pop(&m->own);
        if (x) {
            ++m->local;
            x->begun = farm_now();
            if (!options.late) scheduler_begin(number(m), x->job, (unsigned)m->clients);
            compute(m, &m->working, x->work * (1 + preprocessing), 0, compiled_here, x);
            continue;
        }
        x = m->load >= 1000 ? NULL : pop(&m->came);
        if (!x) return;
        ++m->kids;
        x->begun = farm_now();
        x->runs = true;
        if (!options.late) scheduler_begin(number(m), x->job, (unsigned)m->clients);
        compile_if_ready(x);
    }
}

/* As Daemon::maybe_stats() of icecream 1.4, every 3 s, with its integers: all time that is neither idle nor of its jobs is of
 * others. It counts the CPU time of its jobs when they end, three times. */
static void statistics(simkit_world *world, void *user)
{
    machine *m = (machine *)user;
    const unsigned cores = kinds[number(m)].cores, passed = 3000;
    simkit_step step;
    account(m);
    const unsigned idle = (unsigned)(1000 * m->idle / cores / 3 + 0.5),
                   nice = (unsigned)(1000 * m->nice / cores / 3 + 0.5);
    unsigned ours = (unsigned)(1000 * (m->ended - m->ended_before)) / cores;
    if (ours == 0 && m->kids > 0) ours = nice * passed / 4000;
    unsigned average = (idle * passed / 1000 + (options.once ? ours : ours * passed / 1000)) * 1000 / passed;
    if (average > 1000) average = 1000;
    const int load = 1000 - (int)average, before = m->load;
    m->idle = m->nice = 0;
    m->ended_before = m->ended;
    m->load = load;
    if (options.count || abs(load - before) >= 100 || (load == 1000) != (before == 1000)) tell(m);
    next_jobs(m);
    check(simkit_step_after(world, 3, 0, statistics, m, &step));
    simkit_step_background(world, step);
}

/* --- clients ------------------------------------------------------------------------------------------------------ */

static void received(simkit_world *world, void *user)
{
    file *x = (file *)user;
    (void)world;
    x->sent = true;
    compile_if_ready(x);
}

static void preprocessed(simkit_world *world, void *user)
{
    file *x = (file *)user;
    machine *m = &f.machines[x->machine];
    const simkit_transfer_desc there = {
        .from = m->node, .to = f.machines[x->server].node, .bytes = text * x->work, .done = received, .user = x
    };
    account(m);
    --m->working;
    check(simkit_transfer_start(world, &there, NULL));
    pull();
}

static void answered(simkit_world *world, void *user)
{
    file *x = (file *)user;
    machine *m = &f.machines[x->machine], *server = &f.machines[x->server];
    (void)world;
    if (server == m) {
        push(&m->own, x);
    } else {
        push(&server->came, x);
        compute(m, &m->working, x->work * preprocessing, 0, preprocessed, x);
    }
    next_jobs(server);
}

/* Each file goes to the fastest machine with an idle core, or waits for one. */
static void pull(void)
{
    while (f.waiting.first) {
        machine *best = NULL;
        for (machine *m = f.machines; m < f.machines + MACHINES; ++m) {
            const struct kind *kind = &kinds[number(m)];
            if (m->kids + m->others + m->working >= (int)kind->cores) continue;
            if (!best || kind->speed > kinds[number(best)].speed) best = m;
        }
        if (!best) return;
        file *x = pop(&f.waiting);
        x->server = number(best);
        answered(f.world, x);
    }
}

void farm_answer(unsigned client, unsigned job, int server)
{
    file *x = &f.files[client];
    x->job = job;
    x->server = server;
    check(simkit_step_after(f.world, 0, 0, answered, x, NULL));
}

static void build_begins(simkit_world *world, void *user)
{
    machine *m = (machine *)user;
    (void)world;
    m->left = FILES;
    m->build_begun = farm_now();
    for (int i = 0; i < WIDTH; ++i) client_starts(m);
}

static void client_starts(machine *m)
{
    if (m->left == 0 && m->running == 0) { /* the build has ended */
        f.makespans[f.built++] = farm_now() - m->build_begun;
        const double after = simkit_random_exponential(&m->files, rest);
        if (++m->builds < BUILDS) check(simkit_step_after(f.world, after, 0, build_begins, m, NULL));
    }
    if (m->left == 0) return;
    --m->left;
    ++m->running;
    ++m->clients;
    file *x = &f.files[f.used];
    const double extra = simkit_random_exponential(&m->files, longer), scatter = simkit_random_uniform(&m->files);
    *x = (file){ .machine = number(m), .server = -1, .work = shortest_job + extra, .asked = farm_now() };
    x->bytes = object * x->work * (0.7 + 0.6 * scatter);
    ++f.used;
    if (!options.late) {
        scheduler_request(number(m), (unsigned)(x - f.files), (unsigned)m->clients);
        return;
    }
    push(&f.waiting, x);
    pull();
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double mean(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i];
    return sum / n;
}

static void run(uint64_t seed)
{
    unsigned cores[MACHINES];
    memset(&f, 0, sizeof f);
    if (simkit_world_open(&(simkit_world_desc){ .seed = seed, .latency = latency }, &f.world) != SIMKIT_OK) exit(1);
    f.random = simkit_random_stream(f.world, 0);
    for (int i = 0; i < MACHINES; ++i) {
        machine *m = &f.machines[i];
        const simkit_node_desc desc = {
            .speed = kinds[i].speed, .cores = kinds[i].cores, .up_bandwidth = network, .down_bandwidth = network
        };
        check(simkit_node_add(f.world, &desc, &m->node));
        cores[i] = kinds[i].cores;
        m->chance = simkit_random_stream(f.world, 1 + (uint64_t)i);
        m->files = simkit_random_stream(f.world, 1 + MACHINES + (uint64_t)i);
        m->load = -1000;
    }
    if (!scheduler_open(MACHINES, cores)) exit(1);
    for (int i = 0; i < MACHINES; ++i) {
        machine *m = &f.machines[i];
        simkit_step step;
        if (kinds[i].used > 0 && !options.unused) {
            check(simkit_step_at(f.world, 0, 0, other_begins, m, &step));
            simkit_step_background(f.world, step);
        }
        check(simkit_step_at(f.world, 3 + 0.2 * i, 0, statistics, m, &step));
        simkit_step_background(f.world, step);
        if (i < DEVELOPERS) check(simkit_step_at(f.world, 600 + 10 * i, 0, build_begins, m, NULL));
    }
    check(simkit_world_run(f.world));
    qsort(f.times, (size_t)f.done, sizeof f.times[0], by_size);
    if (f.done != ALL || f.built != DEVELOPERS * BUILDS) exit(1);
    printf("%.4f %.4f %.4f\n", mean(f.times, ALL), f.times[ALL * 95 / 100], mean(f.makespans, f.built));
    scheduler_close();
    simkit_world_close(f.world);
    f.world = NULL;
}

int main(int argc, char **argv)
{
    static const char *const rules[] = { "icecream", "load", "count", "now", "late" };
    int rule = -1, seeds = 1;
    for (int i = 1; i < argc; ++i) {
        for (int k = 0; k < 5; ++k)
            if (strcmp(argv[i], rules[k]) == 0) rule = k;
        if (strcmp(argv[i], "--once") == 0) options.once = true;
        if (strcmp(argv[i], "--unused") == 0) options.unused = true;
        if (strcmp(argv[i], "--seeds") == 0 && i + 1 < argc) seeds = atoi(argv[++i]);
    }
    if (rule < 0) return fputs("farm icecream|load|count|now|late [--seeds N] [--once] [--unused]\n", stderr), 2;
    if (scheduler_is_patched() != (rule >= 1 && rule <= 3))
        return fprintf(stderr, "farm: rule '%s' needs the scheduler %s our patch\n", rules[rule],
                       scheduler_is_patched() ? "without" : "with"),
               2;
    options.count = rule == 2 || rule == 3, options.now = rule == 3, options.late = rule == 4;
    placement_by = options.count ? PLACEMENT_BY_COUNT : PLACEMENT_BY_LOAD;
    for (int seed = 1; seed <= seeds; ++seed) run((uint64_t)seed);
    return 0;
}
