/* server.h: what it refuses, and what is true after each event. */
#include "plugin.h"
#include "policies.h"
#include "simulate.h"

#include "../close.h"

#include <dlfcn.h>

/* Schedules by hand, on ten nodes: submit, estimate, nodes, run, and when each job begins. */
typedef struct planned {
    double submit, estimate;
    unsigned nodes;
    double run, begin;
} planned;

static void check_schedule(const char *policy, const planned *jobs, size_t count)
{
    simulate_desc desc = { .nodes = 10 };
    simulate *sim;
    assert_int_equal(policies_make(policy, &desc.policy), SERVER_OK);
    assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
    for (size_t i = 0; i < count; ++i)
        assert_int_equal(server_submit(simulate_server(sim),
                                       &(server_job_desc){ .name = i,
                                                           .submit = jobs[i].submit,
                                                           .estimate = jobs[i].estimate,
                                                           .run = jobs[i].run,
                                                           .preferred = jobs[i].nodes },
                                       NULL),
                         SERVER_OK);
    assert_int_equal(simulate_run(sim), SERVER_OK);
    for (size_t i = 0; i < count; ++i) {
        const server_job *j = server_job_of(simulate_server(sim), (server_number)i);
        if (!(j->begin == jobs[i].begin))
            fail_msg("%s: job %lu begins at %g, expected %g", policy, (unsigned long)i, j->begin, jobs[i].begin);
        assert_int_equal(j->state, SERVER_ENDED);
        assert_true(j->end == j->begin + jobs[i].run);
    }
    simulate_close(sim);
}

static void fcfs_waits_for_the_first(void **state)
{
    static const planned jobs[] = { { 0, 10, 6, 10, 0 }, { 1, 5, 6, 5, 10 }, { 2, 3, 4, 3, 10 } };
    (void)state;
    check_schedule("fcfs", jobs, 3);
}

static void easy_fills_what_does_not_delay_the_first(void **state)
{
    /* Job 2 ends before job 1 can begin; job 3 would not; job 4 fits beside it. */
    static const planned jobs[] = {
        { 0, 10, 6, 10, 0 }, { 1, 5, 8, 5, 10 }, { 2, 3, 2, 3, 2 }, { 3, 9, 3, 9, 15 }, { 4, 9, 2, 9, 4 }
    };
    (void)state;
    check_schedule("easy", jobs, 5);
}

static void conservative_moves_up_when_a_job_ends_early(void **state)
{
    static const planned jobs[] = { { 0, 10, 6, 4, 0 }, { 1, 5, 8, 5, 4 }, { 2, 9, 4, 9, 9 }, { 3, 6, 6, 6, 9 } };
    (void)state;
    check_schedule("conservative", jobs, 4);
}

static void sjf_starts_the_shortest(void **state)
{
    static const planned jobs[] = { { 0, 10, 6, 10, 0 }, { 1, 5, 6, 5, 13 }, { 2, 3, 6, 3, 10 } };
    (void)state;
    check_schedule("sjf", jobs, 3);
}

/*=============================================================================
 * Policies that decide nonsense
 *===========================================================================*/
typedef enum deed {
    UNKNOWN,
    TWICE,
    TOO_MANY,
    NOT_FREE,
    NODE_TWICE,
    BEYOND,
    TOO_FEW,
    NOT_MALLEABLE,
    NOT_RUNNING,
    BEFORE_NOW,
    REFUSE_TWICE,
    NO_RANGES,
    NO_REASON,
    MISS_A_PROMISE,
    WAKE_FOR_EVER,
    WAKE_TOO_LATE,
    DEEDS
} deed;

static void look_away(void *state, server *s, const server_event *event)
{
    (void)state, (void)s, (void)event;
}

/* Starts job 0, and does it with job 1. */
static void decide_nonsense(void *state, server *s)
{
    const deed d = *(deed *)state;
    if (server_job_of(s, 0)->state == SERVER_WAITING) assert_int_equal(server_start(s, 0, 4), SERVER_OK);
    if (server_job_of(s, 1)->state != SERVER_WAITING) return;
    switch (d) {
    case UNKNOWN: server_start(s, 7, 1); break;
    case TWICE: server_start(s, 0, 4); break;
    case TOO_MANY: server_start(s, 1, 7); break;
    case NOT_FREE: server_start_on(s, 1, &(server_range){ 3, 2 }, 1); break;
    case NODE_TWICE: server_start_on(s, 1, (server_range[]){ { 5, 1 }, { 5, 1 } }, 2); break;
    case BEYOND: server_start_on(s, 1, &(server_range){ 9, 2 }, 1); break;
    case TOO_FEW: server_start(s, 1, 1); break;
    case NOT_MALLEABLE: server_resize(s, 0, 2); break;
    case NOT_RUNNING: server_resize(s, 1, 2); break;
    case BEFORE_NOW: server_wake(s, 0.5); break;
    case REFUSE_TWICE: server_refuse(s, 1), server_refuse(s, 1); break;
    case NO_RANGES: server_start_on(s, 1, NULL, 3); break;
    case NO_REASON: server_give_up(s, NULL); break;
    case MISS_A_PROMISE: server_promise(s, 1, 0.5); break;
    case WAKE_FOR_EVER: server_wake(s, 1); return;
    case WAKE_TOO_LATE: server_wake(s, INFINITY); break;
    case DEEDS: break;
    }
    server_start(s, 1, 2); /* does nothing any more */
}

static void nonsense_ends_the_run(void **state)
{
    static const char *const why[DEEDS] = {
        "at 1 s: policy mad starts job number 7, but there are 2",
        "at 1 s: policy mad starts job 10, which does not wait",
        "at 1 s: policy mad starts job 11 on 7 nodes, but 6 are free",
        "at 1 s: policy mad starts job 11 on nodes 3 .. 4, which are not free",
        "at 1 s: policy mad starts job 11 on node 5: twice, out of order or beyond 10 nodes",
        "at 1 s: policy mad starts job 11 on node 9: twice, out of order or beyond 10 nodes",
        "at 1 s: policy mad starts job 11 on 1 nodes, but it takes 2 .. 8",
        "at 1 s: policy mad resizes job 10, which is not malleable",
        "at 1 s: policy mad resizes job 11, which does not run",
        "at 1 s: policy mad wants to be woken at 0.5 s",
        "at 1 s: policy mad refuses job 11, which does not wait",
        "at 1 s: policy mad starts job 11 on 3 ranges of nodes, but there is no array of them",
        "at 1 s: policy mad gives up",
        "at 1 s: policy mad promises job 11 that it begins at 0.5 s, which is over",
        "at 1 s: policy mad has asked to be woken 100000 times at this time, and nothing else happens",
        "at 1 s: policy mad wants to be woken at inf s",
    };
    (void)state;
    for (deed d = UNKNOWN; d < DEEDS; d = (deed)(d + 1)) {
        const simulate_desc desc = { .nodes = 10, .policy = { "mad", look_away, decide_nonsense, NULL, &d } };
        simulate *sim;
        assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
        server *s = simulate_server(sim);
        assert_int_equal(server_submit(s, &(server_job_desc){ 10, SERVER_RIGID, 0, 9, 9, 0, 4, 0, .work = NULL }, NULL),
                         SERVER_OK);
        assert_int_equal(
            server_submit(s, &(server_job_desc){ 11, SERVER_MOLDABLE, 1, 9, 9, 2, 4, 8, .work = NULL }, NULL),
            SERVER_OK);
        assert_int_equal(simulate_run(sim), SERVER_BAD_STATE);
        assert_string_equal(server_why(s), why[d]);
        assert_true(server_job_of(s, 1)->state != SERVER_RUNNING);
        simulate_close(sim);
    }
}

/*=============================================================================
 * Malleable jobs
 *===========================================================================*/
/* A policy that is woken every second, as one with a period is. Job 1 can never start, because a node has failed for good. */
static void every_second(void *state, server *s)
{
    double *latest = (double *)state; /* for which it has asked */
    if (server_job_of(s, 0)->state == SERVER_WAITING) assert_int_equal(server_start(s, 0, 2), SERVER_OK);
    if (server_job_of(s, 1)->state == SERVER_WAITING && server_now(s) > 2e4 && server_free(s) > 1)
        assert_int_equal(server_start(s, 1, 2), SERVER_OK);
    if (*latest > server_now(s)) return;
    *latest = floor(server_now(s)) + 1;
    server_wake(s, *latest);
}

static void a_run_ends_when_nothing_can_happen(void **state)
{
    (void)state;
    for (int failed = 0; failed < 2; ++failed) {
        double latest = 0;
        simulate *sim;
        succeeds(simulate_open(&(simulate_desc){ .nodes = 2, .policy = { "periodic", look_away, every_second, NULL, &latest } }, &sim));
        server *s = simulate_server(sim);
        succeeds(server_submit(s, &(server_job_desc){ .estimate = 15000, .run = 15000, .preferred = 2 }, NULL));
        succeeds(server_submit(s, &(server_job_desc){ .submit = 1, .estimate = 10, .run = 10, .preferred = 2 }, NULL));
        if (failed) succeeds(simulate_failure(sim, 0, 15000.5, INFINITY));
        succeeds(simulate_run(sim));
        /* It may think as long as it wants while there is something to wait for, and then for so many times. */
        assert_int_equal(server_job_of(s, 1)->state, failed ? SERVER_WAITING : SERVER_ENDED);
        assert_close(latest, failed ? 15000 + SIMULATE_WAKES : 20011 + SIMULATE_WAKES, 1e-3);
        simulate_close(sim);
    }
}

static void a_malleable_job_shrinks_for_another(void **state)
{
    /* 100 s of work in ten parts: alone it gets all ten nodes, and gives up half of them at its next point. */
    static work w = { .kind = WORK_AMDAHL, .seconds = 100, .iterations = 10 };
    simulate_desc desc = { .nodes = 10 };
    simulate *sim;
    (void)state;
    assert_int_equal(policies_make("equi", &desc.policy), SERVER_OK);
    assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
    server *s = simulate_server(sim);
    const server_job_desc first = { 1, SERVER_MALLEABLE, 0, 100, 0, 1, 1, 10, .work = &w };
    const server_job_desc second = { 2, SERVER_MALLEABLE, 2.5, 100, 0, 5, 5, 10, .work = &w };
    assert_int_equal(server_submit(s, &first, NULL), SERVER_OK);
    assert_int_equal(server_submit(s, &second, NULL), SERVER_OK);
    assert_int_equal(simulate_run(sim), SERVER_OK);
    const server_job *a = server_job_of(s, 0), *b = server_job_of(s, 1);
    assert_close(b->begin, 3, 1e-12);       /* three parts of a second, then */
    assert_close(a->end, 3 + 7 * 2, 1e-12); /* seven of two */
    assert_close(a->node_seconds, 100, 1e-12);
    assert_int_equal(a->resizes, 1);
    assert_close(b->end, 17 + 3, 1e-12); /* it has done seven parts then, and grows */
    assert_close(b->node_seconds, 100, 1e-12);
    simulate_close(sim);
}

static void efficient_jobs_get_more(void **state)
{
    /* The first one is 0.5 efficient on 11 nodes and less beyond, the second one at any size. */
    static work w[2] = { { .kind = WORK_AMDAHL, .seconds = 10, .iterations = 10, .serial = 0.1 },
                         { .kind = WORK_AMDAHL, .seconds = 10, .iterations = 10 } };
    static const unsigned expected[2] = { 11, 21 };
    (void)state;
    for (int i = 0; i < 2; ++i) {
        simulate_desc desc = { .nodes = 21 };
        simulate *sim;
        assert_int_equal(policies_make("efficiency", &desc.policy), SERVER_OK);
        assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
        const server_job_desc job = { 1, SERVER_MALLEABLE, 0, 100, 0, 1, 1, 30, .work = &w[i] };
        assert_int_equal(server_submit(simulate_server(sim), &job, NULL), SERVER_OK);
        assert_int_equal(simulate_run(sim), SERVER_OK);
        const server_job *j = server_job_of(simulate_server(sim), 0);
        assert_close(j->node_seconds / (j->end - j->begin), expected[i], 1e-9);
        simulate_close(sim);
    }
}

static void skeletons_share_the_network(void **state)
{
    /* Two nodes exchange 1 MB over links of 1 MB/s after each second of computing; two such jobs have links of their own. */
    static work w = { .kind = WORK_SKELETON, .seconds = 8, .iterations = 4, .pattern = WORK_RING, .bytes = 5e5 };
    static const char text[] = "[network]\nlatency = 1 ms\n[node]\ncount = 4\nbandwidth = 1 MB/s\n";
    simulate_desc desc = { .nodes = 4 };
    simkit_machine *machine;
    simulate *sim;
    (void)state;
    assert_int_equal(simkit_machine_read(&(simkit_input){ .text = text, .length = sizeof text - 1 }, &machine, NULL),
                     SIMKIT_OK);
    desc.machine = machine;
    assert_int_equal(policies_make("fcfs", &desc.policy), SERVER_OK);
    assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
    for (int i = 0; i < 2; ++i)
        assert_int_equal(server_submit(simulate_server(sim),
                                       &(server_job_desc){ 1, SERVER_RIGID, 0, 100, 0, 0, 2, 0, .work = &w }, NULL),
                         SERVER_OK);
    assert_int_equal(simulate_run(sim), SERVER_OK);
    for (server_number i = 0; i < 2; ++i)
        assert_close(server_job_of(simulate_server(sim), i)->end, 4 * (1 + 1 + 1e-3), 1e-9);
    simulate_close(sim);
    simkit_machine_close(machine);
}

/* Four nodes with links of 1 MB/s, and no latency. */
static simkit_machine *machine_of_four(void)
{
    static const char text[] = "[network]\nlatency = 0 s\n[node]\ncount = 4\nbandwidth = 1 MB/s\n";
    simkit_machine *machine;
    assert_int_equal(simkit_machine_read(&(simkit_input){ .text = text, .length = sizeof text - 1 }, &machine, NULL),
                     SIMKIT_OK);
    return machine;
}

static void what_is_killed_leaves_nothing_running(void **state)
{
    /* A node of the first job fails while it computes, or while it sends. The second one then has its nodes for itself. */
    static const double fails[2] = { 5, 10.5 };
    static work w[2] = { { .kind = WORK_SKELETON, .seconds = 20, .iterations = 1, .pattern = WORK_RING, .bytes = 1e6 },
                         { .kind = WORK_SKELETON, .seconds = 2, .iterations = 1, .pattern = WORK_RING, .bytes = 5e5 } };
    (void)state;
    for (int i = 0; i < 2; ++i) {
        simkit_machine *machine = machine_of_four();
        simulate_desc desc = { .nodes = 3, .machine = machine };
        simulate *sim;
        assert_int_equal(policies_make("fcfs", &desc.policy), SERVER_OK);
        assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
        server *s = simulate_server(sim);
        for (int k = 0; k < 2; ++k)
            assert_int_equal(
                server_submit(s, &(server_job_desc){ 1, SERVER_RIGID, 0, 100, 0, 0, 2, 0, .work = &w[k] }, NULL),
                SERVER_OK);
        assert_int_equal(simulate_failure(sim, 0, fails[i], INFINITY), SERVER_OK);
        assert_int_equal(simulate_run(sim), SERVER_OK);
        assert_int_equal(server_job_of(s, 0)->state, SERVER_KILLED);
        assert_int_equal(server_job_of(s, 1)->state, SERVER_ENDED);
        assert_close(server_job_of(s, 1)->end, fails[i] + 1 + 1, 1e-9);
        simulate_close(sim);
        simkit_machine_close(machine);
    }
}

static void wake_up(void *state, server *s, const server_event *event)
{
    (void)state;
    if (event->kind == SERVER_EVENT_WAKE) server_give_up(s, "has seen enough");
}

static void start_all(void *state, server *s)
{
    bool *started = (bool *)state;
    if (*started) return;
    *started = true;
    server_start(s, 0, 4);
    server_wake(s, 1.5);
}

static void a_run_that_ends_early_leaves_no_memory(void **state)
{
    static work w = { .kind = WORK_SKELETON, .seconds = 4, .iterations = 4, .pattern = WORK_ALL_TO_ALL, .bytes = 1e6 };
    simkit_machine *machine = machine_of_four();
    bool started = false;
    simulate_desc desc = { .nodes = 4, .machine = machine, .policy = { "brief", wake_up, start_all, NULL, &started } };
    simulate *sim;
    (void)state;
    assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
    assert_int_equal(server_submit(simulate_server(sim),
                                   &(server_job_desc){ 1, SERVER_RIGID, 0, 100, 0, 0, 4, 0, .work = &w }, NULL),
                     SERVER_OK);
    assert_int_equal(simulate_run(sim), SERVER_BAD_STATE);
    simulate_close(sim); /* in the middle of twelve transfers */
    simkit_machine_close(machine);
}

static void a_job_that_exceeds_its_limit_is_killed(void **state)
{
    /* A job of ten seconds by each kind of work, with a limit of eight, ten and none. */
    static work works[] = {
        { .kind = WORK_TIME },
        { .kind = WORK_AMDAHL, .seconds = 20, .iterations = 3 },
        { .kind = WORK_SKELETON, .seconds = 16, .iterations = 2, .pattern = WORK_RING, .bytes = 5e5 },
        { .kind = WORK_PROGRAM, .program = "farm", .arguments = "tasks=2 rounds=1 candidates=1e6" }
    };
    static const char text[] = "[network]\nlatency = 0 s\n[node]\ncount = 2\nbandwidth = 1 MB/s\n"
                               "[operation candidate]\nseconds = 1 us\n[operation launch]\nseconds = 9 s\n";
    static const double limits[] = { 8, 30, 0 };
    simkit_machine *machine;
    (void)state;
    assert_int_equal(simkit_machine_read(&(simkit_input){ .text = text, .length = sizeof text - 1 }, &machine, NULL),
                     SIMKIT_OK);
    for (size_t i = 0; i < sizeof works / sizeof *works; ++i)
        for (size_t k = 0; k < sizeof limits / sizeof *limits; ++k) {
            simulate_desc desc = { .nodes = 2, .machine = machine };
            simulate *sim;
            assert_int_equal(policies_make("fcfs", &desc.policy), SERVER_OK);
            assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
            const server_job_desc job = {
                .run = 10, .estimate = 100, .preferred = 2, .work = &works[i], .limit = limits[k]
            };
            assert_int_equal(server_submit(simulate_server(sim), &job, NULL), SERVER_OK);
            assert_int_equal(simulate_run(sim), SERVER_OK);
            const server_job *j = server_job_of(simulate_server(sim), 0);
            assert_int_equal(j->state, k == 0 ? SERVER_KILLED : SERVER_ENDED);
            if (k == 0) assert_close(j->end, 8, 1e-8);
            if (k > 0 && i < 3) assert_close(j->end, 10, 1e-8);
            assert_close(simkit_clock_now(simulate_world(sim)), j->end, 0);
            simulate_close(sim);
        }
    simkit_machine_close(machine);
}

/*=============================================================================
 * Nodes that fail
 *===========================================================================*/
static void a_node_that_fails(void **state)
{
    static work w = { .kind = WORK_AMDAHL, .seconds = 30, .iterations = 3 };
    simulate_desc desc = { .nodes = 6 };
    simulate *sim;
    (void)state;
    assert_int_equal(policies_make("easy", &desc.policy), SERVER_OK);
    assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
    server *s = simulate_server(sim);
    /* The rigid job on nodes 0 .. 2 is killed; the malleable one on 3 .. 5 loses one node and repeats its iteration. */
    assert_int_equal(server_submit(s, &(server_job_desc){ 1, SERVER_RIGID, 0, 10, 10, 0, 3, 0, .work = NULL }, NULL),
                     SERVER_OK);
    assert_int_equal(server_submit(s, &(server_job_desc){ 2, SERVER_MALLEABLE, 0, 30, 0, 1, 3, 3, .work = &w }, NULL),
                     SERVER_OK);
    assert_int_equal(server_submit(s, &(server_job_desc){ 3, SERVER_RIGID, 1, 2, 2, 0, 3, 0, .work = NULL }, NULL),
                     SERVER_OK);
    assert_int_equal(simulate_failure(sim, 1, 2, 20), SERVER_OK);
    assert_int_equal(simulate_failure(sim, 4, 3, INFINITY), SERVER_OK);
    assert_int_equal(simulate_failure(sim, 6, 3, INFINITY), SERVER_BAD_NODE);
    assert_int_equal(simulate_run(sim), SERVER_OK);
    assert_int_equal(server_job_of(s, 0)->state, SERVER_KILLED);
    assert_close(server_job_of(s, 0)->end, 2, 0);
    assert_int_equal(server_job_of(s, 1)->state, SERVER_ENDED);
    assert_close(server_job_of(s, 1)->end, 3 + 3 * 5, 1e-12); /* three parts of ten seconds on two nodes */
    assert_close(server_job_of(s, 1)->node_seconds, 3 * 3 + 2 * 15, 1e-12);
    assert_close(server_job_of(s, 2)->begin, 18, 1e-12); /* until then two nodes are free */
    assert_int_equal(server_nodes(s), 5);
    simulate_close(sim);
}

/*=============================================================================
 * Policies in shared objects
 *===========================================================================*/
static void path_of_object(const char *name, char path[1000])
{
    const char *build = getenv("BUILD");
    if (!build) build = "build";
    snprintf(path, 1000, "%s%s/%s", build[0] == '/' ? "" : "./", build, name);
}

static void a_shared_object_is_a_policy(void **state)
{
    simulate_desc desc = { .nodes = 10 };
    simulate *sim;
    char path[1000], why[200];
    (void)state;
    assert_int_equal(plugin_make("./nowhere.so", &desc.policy, why), SERVER_BAD_ARGUMENT);
    assert_non_null(strstr(why, "nowhere.so"));
    path_of_object("largest.so", path);
    if (plugin_make(path, &desc.policy, why) != SERVER_OK) fail_msg("%s", why);
    assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
    server *s = simulate_server(sim);
    for (unsigned i = 0; i < 3; ++i)
        assert_int_equal(
            server_submit(s, &(server_job_desc){ i, SERVER_RIGID, i, 5, 5, 0, 6 + i, 0, .work = NULL }, NULL),
            SERVER_OK);
    assert_int_equal(simulate_run(sim), SERVER_OK);
    assert_close(server_job_of(s, 2)->begin, 5, 0);
    assert_close(server_job_of(s, 1)->begin, 10, 0);
    simulate_close(sim);
}

static void an_incomplete_policy_is_closed(void **state)
{
    server_policy policy;
    char path[1000], why[200];
    (void)state;
    path_of_object("incomplete.so", path);
    void *object = dlopen(path, RTLD_NOW);
    assert_non_null(object);
    const int *closed = (const int *)dlsym(object, "incomplete_closed");
    assert_int_equal(plugin_make(path, &policy, why), SERVER_BAD_ARGUMENT);
    assert_non_null(strstr(why, "has no `happened` or no `decide`"));
    assert_int_equal(*closed, 1);
    assert_int_equal(dlclose(object), 0);
    assert_null(dlopen(path, RTLD_NOW | RTLD_NOLOAD)); /* nobody else keeps it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fcfs_waits_for_the_first),
        cmocka_unit_test(easy_fills_what_does_not_delay_the_first),
        cmocka_unit_test(conservative_moves_up_when_a_job_ends_early),
        cmocka_unit_test(sjf_starts_the_shortest),
        cmocka_unit_test(nonsense_ends_the_run),
        cmocka_unit_test(a_run_ends_when_nothing_can_happen),
        cmocka_unit_test(a_malleable_job_shrinks_for_another),
        cmocka_unit_test(efficient_jobs_get_more),
        cmocka_unit_test(skeletons_share_the_network),
        cmocka_unit_test(what_is_killed_leaves_nothing_running),
        cmocka_unit_test(a_run_that_ends_early_leaves_no_memory),
        cmocka_unit_test(a_job_that_exceeds_its_limit_is_killed),
        cmocka_unit_test(a_node_that_fails),
        cmocka_unit_test(a_shared_object_is_a_policy),
        cmocka_unit_test(an_incomplete_policy_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
