/* How many jobs does the server schedule in a second?
 *
 * Goals: 5 000 jobs on 128 processors, FCFS, EASY and conservative backfilling: 2 000 000, 1 000 000 and 100 000 jobs a
 * second; a million jobs on 10 000 nodes with EASY: 30 s and 1 GB; 2 000 malleable jobs on 1 024 nodes, the average-size
 * policy asked every second: 10 s; eight malleable LU programs in one world: 50 ms. Random jobs: sizes and run times
 * log-uniform, half of the sizes powers of two, estimates up to the tenfold, Poisson arrivals at 70 % of the capacity.
 * Medians and ranges; as fast as the machine is. */
#define _POSIX_C_SOURCE 200809L
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"

#include "policies.h"
#include "simulate.h"

#include "measure.h"

#include <math.h>
#include <sys/resource.h>

enum { RUNS = 15, MALLEABLE = 2000, FACTORIZATIONS = 8 };

static server_job_desc *make_jobs(size_t count, unsigned nodes, uint64_t seed)
{
    server_job_desc *jobs = (server_job_desc *)calloc(count, sizeof *jobs);
    simkit_world *world;
    double area = 0, time = 0;
    if (!jobs || simkit_world_open(&(simkit_world_desc){ .seed = seed }, &world) != SIMKIT_OK) exit(1);
    simkit_random random = simkit_random_stream(world, 1);
    for (size_t i = 0; i < count; ++i) {
        unsigned size = (unsigned)exp(simkit_random_uniform(&random) * log(nodes));
        if (simkit_random_uniform(&random) < 0.5) size = 1u << (unsigned)log2(size);
        jobs[i].name = i;
        jobs[i].preferred = size;
        jobs[i].estimate = exp(simkit_random_uniform(&random) * log(86400));
        jobs[i].run = jobs[i].estimate * (0.1 + 0.9 * simkit_random_uniform(&random));
        area += size * jobs[i].run;
    }
    for (size_t i = 0; i < count; ++i) {
        time += simkit_random_exponential(&random, area / (double)count / nodes / 0.7);
        jobs[i].submit = time;
    }
    simkit_world_close(world);
    return jobs;
}

static simkit_machine *machine; /* of the programs; NULL: none is needed */

/* Seconds for all of them. */
static double schedule(const char *policy, const server_job_desc *jobs, size_t count, unsigned nodes)
{
    const double start = measure_now();
    simulate_desc desc = { .nodes = nodes, .machine = machine };
    simulate *sim;
    if (policies_make(policy, &desc.policy) != SERVER_OK || simulate_open(&desc, &sim) != SERVER_OK) exit(1);
    for (size_t i = 0; i < count; ++i)
        if (server_submit(simulate_server(sim), &jobs[i], NULL) != SERVER_OK) exit(1);
    if (simulate_run(sim) != SERVER_OK) {
        fprintf(stderr, "%s\n", server_why(simulate_server(sim)));
        exit(1);
    }
    simulate_close(sim);
    return measure_now() - start;
}

static void report(const char *what, const char *policy, const server_job_desc *jobs, size_t count, unsigned nodes,
                   int runs)
{
    double seconds[RUNS];
    for (int run = 0; run < runs; ++run) {
        measure_progress(policy, run + 1, runs);
        seconds[run] = schedule(policy, jobs, count, nodes);
    }
    measure_progress(NULL, 0, 0);
    measure_sort(seconds, (size_t)runs);
    printf("%-44s %-18s %8.3f s [%.3f .. %.3f] %10.0f jobs/s\n", what, policy, seconds[runs / 2], seconds[0],
           seconds[runs - 1], (double)count / seconds[runs / 2]);
}

int main(void)
{
    static const char *const policies[] = { "fcfs", "sjf", "easy", "conservative", "easy-nodes", "conservative-nodes" };
    static work works[MALLEABLE];
    server_job_desc *small = make_jobs(5000, 128, 1), *large = make_jobs(1000000, 10000, 2),
                    *malleable = make_jobs(MALLEABLE, 128, 3);
    struct rusage use;
    double last = 0;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; ++i)
        report("5 000 jobs on 128 processors", policies[i], small, 5000, 128, RUNS);
    report("1 000 000 jobs on 10 000 nodes", "easy", large, 1000000, 10000, 3);
    getrusage(RUSAGE_SELF, &use);
    printf("%-44s %-18s %8.0f MB, with the jobs themselves\n", "", "", (double)use.ru_maxrss / 1024);
    for (size_t i = 0; i < MALLEABLE; ++i) {
        server_job_desc *j = &malleable[i];
        works[i] = (work){
            .kind = WORK_AMDAHL, .seconds = j->run * j->preferred, .iterations = 50, .serial = 0.01, .data = 1e6
        };
        j->kind = i % 3 ? SERVER_MALLEABLE : SERVER_RIGID;
        j->minimum = (j->preferred + 3) / 4;
        j->maximum = 4 * j->preferred;
        j->work = &works[i];
        last = fmax(last, j->submit);
    }
    for (size_t i = 0; i < MALLEABLE; ++i) malleable[i].submit *= 86400 / last; /* a day */
    report("2 000 malleable jobs on 1 024 nodes, a day", "average:period=1", malleable, MALLEABLE, 1024, RUNS);
    report("", "efficiency", malleable, MALLEABLE, 1024, RUNS);
    /* Eight factorizations on as many nodes, one submitted every 0.1 s, which takes part of the time of each. */
    if (simkit_machine_read(&(simkit_input){ .path = "examples/machines/programs.machine" }, &machine, NULL) !=
        SIMKIT_OK)
        return 1;
    for (size_t i = 0; i < FACTORIZATIONS; ++i) {
        works[i] = (work){ .kind = WORK_PROGRAM, .program = "lu", .arguments = "n=2592 r=162", .iterations = 16 };
        malleable[i] = (server_job_desc){ .name = i,
                                          .kind = SERVER_MALLEABLE,
                                          .submit = 0.1 * (double)i,
                                          .estimate = INFINITY,
                                          .minimum = 1,
                                          .preferred = 4,
                                          .maximum = 8,
                                          .work = &works[i],
                                          .anchored = true };
    }
    report("8 malleable LU factorizations, 8 nodes", "equi", malleable, FACTORIZATIONS, 8, RUNS);
    simkit_machine_close(machine);
    free(small);
    free(large);
    free(malleable);
    return 0;
}
