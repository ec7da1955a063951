/* tests/differential/networks.c   Random networks for the engine, held against a reference that computes every rate anew at
 * every event (network_reference.h): routes, tables, links without bandwidth, limits, weights, several changes at one instant,
 * load maps that are opened at any time.
 *
 *     networks [SECONDS [SEED [PROGRAMS]]]
 *
 * Without a seed the first half of the time, at most a minute, goes to the same programs as ever, the rest to new ones. One that
 * shows a difference, crashes or does not end is reduced and printed as C. Programs run in a child, so that such a one can be
 * reduced, too. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_trace.h"
#include "util/simkit_why.h"

#include "network_print.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FIXED_SEED UINT64_C(1)

/* What the child is at; its parent reads it when it has died. */
static struct counts {
    uint64_t seed, programs, entries;
} *shared;

/*=============================================================================
 * Reducing
 *===========================================================================*/
/* In a child: whether it differs there, crashes or does not end. */
static bool fails(const program *p, bool tell)
{
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        alarm(5);
        if (!tell && (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout))) _exit(0);
        play(p);
        const int at = ref_check();
        if (tell && at >= 0) {
            printf("%s\n    entry %d: ", ref.why, at);
            print_entry(p, &playing.entries[at]);
            fflush(stdout);
        }
        _exit(at >= 0 ? 1 : 0);
    }
    if (waitpid(child, &status, 0) != child) abort();
    if (tell && WIFSIGNALED(status)) printf("it ends by signal %d\n", WTERMSIG(status));
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/* Whether it still fails after a change that is otherwise undone. */
static bool keep_if_fails(program *p, const program *changed, int *trials)
{
    if (*trials <= 0) return false;
    --*trials;
    if (!fails(changed, false)) return false;
    *p = *changed;
    return true;
}

static bool reduce_ops(program *p, int *trials)
{
    static program changed;
    bool reduced = false;
    for (int size = p->count / 2; size >= 1; size /= 2)
        for (int first = p->count - size; first > 0; first -= size) {
            bool any = false;
            changed = *p;
            for (int i = first; i < first + size; ++i) {
                any |= changed.ops[i].kind != NOTHING;
                changed.ops[i].kind = NOTHING;
            }
            if (any && keep_if_fails(p, &changed, trials)) reduced = true;
        }
    return reduced;
}

/* A number made small and round. */
static bool reduce_number(program *p, double *x, bool to_zero, int *trials)
{
    static program changed;
    const double was = *x, simple[] = { 0, 1, floor(was), floor(8 * was) / 8 };
    for (int s = to_zero ? 0 : 1; s < 4; ++s) {
        if (!(was > 0) || !(fabs(simple[s] - was) > 0) || (!to_zero && !(simple[s] > 0)) || (s > 0 && !(fabs(was - 1) > 0))) continue;
        *x = simple[s];
        changed = *p;
        *x = was;
        if (keep_if_fails(p, &changed, trials)) return true;
    }
    return false;
}

/* A duplex factor or a period: 0 or what it is. */
static bool reduce_to_zero(program *p, double *x, int *trials)
{
    static program changed;
    const double was = *x;
    if (!(was > 0)) return false;
    *x = 0;
    changed = *p;
    *x = was;
    return keep_if_fails(p, &changed, trials);
}

static bool reduce_details(program *p, int *trials)
{
    static program changed;
    bool reduced = reduce_number(p, &p->latency, true, trials) | reduce_to_zero(p, &p->pair_duplex, trials);
    for (int i = 0; i < p->nodes; ++i)
        reduced |= reduce_number(p, &p->up[i], false, trials) | reduce_number(p, &p->down[i], false, trials) |
                   reduce_to_zero(p, &p->node_duplex[i], trials);
    for (int i = 0; i < p->links; ++i)
        reduced |= reduce_number(p, &p->bandwidth[i], false, trials) | reduce_number(p, &p->link_latency[i], true, trials) |
                   reduce_to_zero(p, &p->duplex[i], trials);
    for (int i = p->count - 1; i > 0; --i) {
        op *o = &p->ops[i];
        if (o->kind == NOTHING) continue;
        if (o->by == 0) reduced |= reduce_number(p, &o->time, true, trials);
        for (int k = 0; k < 3; ++k)
            reduced |= o->kind == FOLLOW ? reduce_to_zero(p, &o->x[k], trials) : reduce_number(p, &o->x[k], o->kind != CHANGE || k > 0, trials);
        changed = *p;
        changed.ops[i].flag = false;
        if (o->flag && keep_if_fails(p, &changed, trials)) reduced = true;
        changed = *p;
        changed.ops[i].n = o->n - 1;
        if (o->n > 1 && keep_if_fails(p, &changed, trials)) reduced = true;
    }
    return reduced;
}

static void report(void)
{
    static program p;
    int trials = 3000;
    generate(&p, shared->seed);
    printf("seed %llu: ", (unsigned long long)shared->seed);
    if (!fails(&p, true)) {
        printf("but not when it is repeated\n");
        return;
    }
    while (reduce_ops(&p, &trials) | reduce_details(&p, &trials)) {
    }
    printf("reduced: ");
    fails(&p, true);
    printf("/* again: tests/differential/run 60 %llu 1 */\n", (unsigned long long)shared->seed);
    print_program(&p);
}

/*=============================================================================
 * Programs, one after another
 *===========================================================================*/
static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* In a child: programs until a time, or one that differs. Returns whether there was none. */
static bool try_some(uint64_t seed, double end, uint64_t most)
{
    static program p;
    int status;
    printf("networks, seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        for (uint64_t i = 0; i < most && seconds_now() < end; ++i) {
            alarm(5);
            shared->seed = seed + i;
            generate(&p, shared->seed);
            play(&p);
            if (ref_check() >= 0) _exit(1);
            ++shared->programs;
            shared->entries += (uint64_t)playing.count;
        }
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child) abort();
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? strtod(argv[1], NULL) : 10, begin = seconds_now();
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL) * 1000003u + (uint64_t)getpid();
    const uint64_t most = argc > 3 ? strtoull(argv[3], NULL, 10) : UINT64_MAX;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 1;
    const bool right = (argc > 2 || try_some(FIXED_SEED, begin + fmin(60, seconds / 2), most)) && try_some(seed, begin + seconds, most);
    printf("%llu networks, %llu events held against the reference\n", (unsigned long long)shared->programs,
           (unsigned long long)shared->entries);
    if (right) return 0;
    report();
    return 1;
}
