/* Room whatif of util/simkit_why.h: closed forms, and what another run gives that really has the changes. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_trace.h"
#include "util/simkit_why.h"

#include "hook.h"
#include "world.h"

static uint64_t seed = 1;

static int draw_below(int limit)
{
    return (int)(random_next(&seed) % (uint64_t)limit);
}

static simkit_reasons *record(void)
{
    simkit_reasons *r = NULL;
    if (simkit_reasons_open(world, &r) != SIMKIT_OK) fail_msg("%s", simkit_world_why(world));
    return r;
}

static void run_world(void)
{
    if (simkit_world_run(world) != SIMKIT_OK) fail_msg("%s", simkit_world_why(world));
}

static simkit_reason_forecast ask(simkit_reasons *r, const simkit_reason_change *changes, size_t count)
{
    simkit_reason_forecast forecast;
    if (simkit_reasons_what_if(r, changes, count, &forecast) != SIMKIT_OK) fail_msg("%s", simkit_world_why(world));
    assert_equal(forecast.was, simkit_clock_now(world));
    assert_int_equal(forecast.exact, forecast.doubt[0] == 0);
    return forecast;
}

static simkit_reason_forecast ask_one(simkit_reasons *r, const char *name, unsigned reasons, double factor)
{
    const simkit_reason_change change = { .name = name, .reasons = reasons, .factor = factor };
    return ask(r, &change, 1);
}

static void assert_exact(const simkit_reason_forecast forecast, double end)
{
    if (!forecast.exact) fail_msg("an estimate of %.17g, not %.17g: %s", forecast.end, end, forecast.doubt);
    assert_equal(forecast.end, end);
}

static void assert_estimate(const simkit_reason_forecast forecast, double end, const char *doubt)
{
    if (forecast.exact || !strstr(forecast.doubt, doubt)) fail_msg("%d %s", forecast.exact, forecast.doubt);
    assert_close(forecast.end, end, 1e-12);
}

static void start(simkit_node node, double seconds, const char *name, simkit_call *done, void *user)
{
    const simkit_computation_desc desc = { .node = node, .seconds = seconds, .name = name, .done = done, .user = user };
    if (simkit_computation_start(world, &desc, NULL) != SIMKIT_OK) fail_msg("%s", simkit_world_why(world));
}

/*=============================================================================
 * Callbacks
 *===========================================================================*/
static simkit_reasons *counting;
static simkit_node places[9];
static simkit_reason_moment arrivals[8];
static int arrived;
static bool tells;

static void counts(simkit_world *w, void *user)
{
    (void)user;
    assert_ptr_equal(w, world);
    arrivals[arrived++] = simkit_reasons_moment(counting);
    if (arrived < 4) return;
    for (int i = 0; i < 4 && tells; ++i) simkit_reasons_after(counting, arrivals[i]);
    start(places[0], 1, "join", NULL, NULL);
}

/* A join by a counter: with simkit_reasons_after() it is exact, without it only the last arrival is known. */
static void a_counter_says_what_it_waited_for(void **state)
{
    (void)state;
    for (int told = 0; told < 2; ++told) {
        reopen_world(NULL);
        tells = told;
        arrived = 0;
        counting = record();
        for (int i = 0; i < 5; ++i) places[i] = add_node(NULL);
        static const char *const names[] = { "a", "b", "c", "d" };
        for (int i = 0; i < 4; ++i) start(places[i + 1], 1 + i, names[i], counts, NULL);
        run_world();
        assert_equal(simkit_clock_now(world), 5);
        assert_exact(ask(counting, NULL, 0), 5);
        assert_exact(ask_one(counting, "d", 0, 0.5), told ? 4 : 3); /* "c" takes 3 s */
        assert_exact(ask_one(counting, "a", 0, 8), told ? 9 : 8);   /* "a" itself ends at 8 s */
        assert_exact(ask_one(counting, "join", 0, 3), 7);
    }
    assert_int_equal(simkit_reasons_moment(NULL), 0);
    simkit_reasons_after(NULL, 1);
    simkit_reasons_after(counting, 12345);
}

static double taken_at[1];

static void takes(simkit_world *w, void *user, const simkit_message *message)
{
    assert_non_null(message);
    *(double *)user = simkit_clock_now(w);
    start(places[1], 1, "after", NULL, NULL);
}

static void asks_for_it(simkit_world *w, void *user)
{
    assert_int_equal(simkit_mailbox_take(w, *(simkit_mailbox *)user, takes, &taken_at[0], NULL), SIMKIT_OK);
}

/* A receiver and a message, each of which can be the first. */
static void callbacks_join_too(void **state)
{
    (void)state;
    for (int late = 0; late < 2; ++late) {
        simkit_mailbox box;
        reopen_world(NULL);
        simkit_reasons *r = record();
        for (int i = 0; i < 3; ++i) places[i] = add_node(NULL);
        assert_int_equal(simkit_mailbox_open(world, places[1], "box", &box), SIMKIT_OK);
        start(places[1], late ? 4 : 2, "before", asks_for_it, &box);
        const simkit_node_desc slow = { .up_bandwidth = 1024 };
        const simkit_node from = add_node(&slow);
        const simkit_post_desc post = { .from = from, .to = box, .bytes = 3 * 1024, .name = "message" };
        assert_int_equal(simkit_mailbox_post(world, &post, NULL), SIMKIT_OK);
        run_world();
        assert_equal(taken_at[0], late ? 4 : 3);
        assert_exact(ask_one(r, "before", 0, 0.25), 4);
        assert_exact(ask_one(r, "message", 0, 4), 13);
        assert_exact(ask_one(r, "message", 0, 0), late ? 5 : 3);
        assert_exact(ask_one(r, NULL, 1u << SIMKIT_REASON_TRANSMISSION, 2), 7);
        assert_exact(ask_one(r, NULL, 0, 0), 0);
    }
}

/*=============================================================================
 * What is not exact, and says so
 *===========================================================================*/
static void shares_are_estimates(void **state)
{
    (void)state;
    simkit_reasons *r = record();
    places[0] = add_node(NULL);
    start(places[0], 1, "short", NULL, NULL);
    start(places[0], 3, "long", NULL, NULL);
    run_world();
    assert_equal(simkit_clock_now(world), 4);
    assert_exact(ask_one(r, NULL, 0, 1), 4);
    assert_estimate(ask_one(r, NULL, 0, 0.5), 2, "shared a core");
    assert_estimate(ask_one(r, "short", 0, 0.5), 4, "shared a core"); /* a run gives 3.5 s */
    assert_estimate(ask_one(r, "long", 1u << SIMKIT_REASON_CPU, 0), 3, "shared a core");
}

static void second(simkit_world *w, void *user)
{
    (void)w, (void)user;
    start(places[0], 2, "second", NULL, NULL);
}

static void pieces_that_would_meet(void **state)
{
    (void)state;
    simkit_reasons *r = record();
    places[0] = add_node(NULL);
    places[1] = add_node(NULL);
    start(places[1], 3, "first", second, NULL);
    start(places[0], 2, "before", NULL, NULL);
    run_world();
    assert_equal(simkit_clock_now(world), 5);
    assert_exact(ask_one(r, "before", 0, 1.5), 5);
    assert_estimate(ask_one(r, "before", 0, 2), 5, "would meet");
    assert_estimate(ask_one(r, "first", 0, 0.5), 3.5, "would meet");

    const simkit_node_desc rationed = { .quota = 1, .period = 2 };
    reopen_world(NULL);
    r = record();
    start(add_node(&rationed), 0.25, "work", NULL, NULL);
    run_world();
    assert_false(ask_one(r, "work", 0, 2).exact);
}

static void sends_later(simkit_world *w, void *user)
{
    assert_int_equal(simkit_transfer_start(w, (const simkit_transfer_desc *)user, NULL), SIMKIT_OK);
}

/* Two transfers, of which the second begins when a computation has ended: a shorter one makes them meet on a link, or not. */
static void transfers_that_would_meet(void **state)
{
    static const struct {
        int from, to; /* of the second; the first goes from 0 to 1 */
        double pair, node;
        int link; /* whose route crosses it: 1 forth, 2 back */
        bool meet;
    } cases[] = { { 1, 0, 0, 0, 0, false }, { 1, 0, 1, 0, 0, true },  { 1, 0, 0, 1, 0, true }, { 0, 2, 0, 0, 0, true },
                  { 2, 1, 0, 0, 0, true },  { 2, 3, 0, 0, 0, false }, { 2, 3, 0, 0, 1, true }, { 2, 3, 0, 0, 2, false },
                  { 3, 0, 0, 0, 0, false }, { 3, 0, 0, 1, 0, true },  { 3, 0, 1, 0, 0, false } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const simkit_world_desc desc = { .pair_duplex = cases[i].pair };
        const simkit_node_desc node = { .up_bandwidth = 1024, .down_bandwidth = 1024, .duplex = cases[i].node };
        const simkit_link_desc cable = { .bandwidth = 1024 };
        const simkit_hop hop = { 1, false }, there = { 1, cases[i].link == 2 };
        simkit_hop got = { 0, true };
        reopen_world(&desc);
        simkit_reasons *r = record();
        for (int k = 0; k < 5; ++k) places[k] = add_node(&node);
        if (cases[i].link) {
            assert_int_equal(simkit_link_add(world, &cable, NULL), SIMKIT_OK);
            assert_int_equal(simkit_route_set(world, places[0], places[1], &hop, 1, false), SIMKIT_OK);
            assert_int_equal(simkit_route_set(world, places[2], places[3], &there, 1, false), SIMKIT_OK);
            assert_int_equal(simkit_route_get(world, places[2], places[3], &got, 1), 1);
            assert_true(got.link == 1 && got.back == there.back);
        }
        assert_int_equal(simkit_route_get(world, places[3], places[4], NULL, 0), 0);
        assert_int_equal(simkit_route_get(world, 0, 99, NULL, 0), 0);
        simkit_transfer_desc first = { .from = places[0], .to = places[1], .bytes = 1024, .name = "a" }, other = first;
        other.from = places[cases[i].from];
        other.to = places[cases[i].to];
        other.name = "b";
        start(places[4], 2, "wait", sends_later, &other);
        assert_int_equal(simkit_transfer_start(world, &first, NULL), SIMKIT_OK);
        run_world();
        assert_equal(simkit_clock_now(world), 3);
        assert_exact(ask_one(r, "wait", 0, 0.5), 2);
        if (cases[i].meet)
            assert_estimate(ask_one(r, "wait", 0, 0.25), 1.5, "would meet");
        else
            assert_exact(ask_one(r, "wait", 0, 0.25), 1.5);
        const simkit_reason_change link_only = { .link = 1, .factor = 2 };
        if (cases[i].link == 2) assert_exact(ask(r, &link_only, 1), 4);
        if (cases[i].link == 2) assert_int_equal(ask(r, &link_only, 1).pieces, 2);
    }
}

/*=============================================================================
 * Wrong questions
 *===========================================================================*/
static void assert_wrong(simkit_reasons *r, simkit_reason_change change, simkit_result result, const char *why)
{
    const simkit_reason_change both[] = { { .factor = 1 }, change };
    simkit_reason_forecast forecast;
    assert_int_equal(simkit_reasons_what_if(r, both, 2, &forecast), result);
    assert_true(forecast.end >= 0 && forecast.end <= 0);
    assert_why(why);
}

static void wrong_questions(void **state)
{
    simkit_reason_forecast forecast;
    (void)state;
    simkit_reasons *r = record();
    places[0] = add_node(NULL);
    start(places[0], 1, "work", NULL, NULL);
    const simkit_transfer_desc transfer = { .from = places[0], .to = places[0], .name = "message" };
    assert_int_equal(simkit_transfer_start(world, &transfer, NULL), SIMKIT_OK);
    run_world();
    const char *factor = "at 1 s: change 2 has a factor of %s, expected a finite one, 0 or more";
    char text[200];
    snprintf(text, sizeof text, factor, "-1");
    assert_wrong(r, (simkit_reason_change){ .factor = -1 }, SIMKIT_BAD_ARGUMENT, text);
    snprintf(text, sizeof text, factor, "inf");
    assert_wrong(r, (simkit_reason_change){ .factor = INFINITY }, SIMKIT_BAD_ARGUMENT, text);
    snprintf(text, sizeof text, factor, "nan");
    assert_wrong(r, (simkit_reason_change){ .factor = NAN }, SIMKIT_BAD_ARGUMENT, text);
    assert_wrong(r, (simkit_reason_change){ .name = "wrok", .factor = 2 }, SIMKIT_BAD_ARGUMENT,
                 "at 1 s: change 2: nothing is called 'wrok'; there is 'work' (computing), 'message' (transfers)");
    assert_wrong(r, (simkit_reason_change){ .name = "work", .to = 1, .factor = 2 }, SIMKIT_BAD_ARGUMENT,
                 "at 1 s: change 2 selects nothing: its name, reasons, nodes and link go together nowhere; there is "
                 "'work' (computing), "
                 "'message' (transfers)");
    assert_wrong(r, (simkit_reason_change){ .name = "work", .reasons = 1u << SIMKIT_REASON_LATENCY, .factor = 2 },
                 SIMKIT_BAD_ARGUMENT,
                 "at 1 s: change 2 selects nothing: its name, reasons, nodes and link go together nowhere; there is "
                 "'work' (computing), "
                 "'message' (transfers)");
    assert_wrong(
        r, (simkit_reason_change){ .reasons = 1u << SIMKIT_REASON_TURN, .factor = 2 }, SIMKIT_BAD_ARGUMENT,
        "at 1 s: change 2 scales reasons 0x4; computing, waiting for CPU, latency, transmission, shared links and "
        "timers can be "
        "scaled: 0x7b");
    assert_wrong(r, (simkit_reason_change){ .node = 7, .factor = 2 }, SIMKIT_UNKNOWN_NODE,
                 "at 1 s: change 2 names node 7, but the nodes are 1 .. 1");
    assert_wrong(r, (simkit_reason_change){ .to = 8, .factor = 2 }, SIMKIT_UNKNOWN_NODE,
                 "at 1 s: change 2 names node 8, but the nodes are 1 .. 1");
    assert_wrong(r, (simkit_reason_change){ .link = 1, .factor = 2 }, SIMKIT_UNKNOWN_LINK,
                 "at 1 s: change 2 names link 1, but there are 0 links");
    assert_int_equal(simkit_reasons_what_if(r, NULL, 2, &forecast), SIMKIT_BAD_ARGUMENT);
    assert_why("at 1 s: a question of 2 changes needs them");
    assert_int_equal(simkit_reasons_what_if(NULL, NULL, 0, &forecast), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_reasons_what_if(r, NULL, 0, NULL), SIMKIT_BAD_ARGUMENT);
    assert_exact(ask(r, NULL, 0), 1);
}

/* Without memory a question is refused, and nothing leaks. */
static void memory_runs_out(void **state)
{
    int refused = 0;
    (void)state;
    for (long allowed = 0;; ++allowed) {
        hook h = { .left = -1 };
        const simkit_world_desc desc = { .memory = { reallocate, &h } };
        const simkit_reason_change change = { .factor = 2 };
        simkit_reason_forecast forecast;
        reopen_world(&desc);
        simkit_reasons *r = record();
        places[0] = add_node(NULL);
        start(places[0], 1, "work", second, NULL);
        run_world();
        h.left = allowed;
        const simkit_result result = simkit_reasons_what_if(r, &change, 1, &forecast);
        simkit_world_close(world);
        world = NULL;
        assert_int_equal(h.blocks, 0);
        if (result == SIMKIT_OK) break;
        assert_int_equal(result, SIMKIT_NO_MEMORY);
        ++refused;
    }
    assert_true(refused > 1);
}

#ifndef SIMKIT_NO_PROCESSES
/*=============================================================================
 * Closed forms
 *===========================================================================*/
static simkit_mailbox boxes[9];
static simkit_process processes[9];
static int crowd;

static void compute(double seconds, const char *name)
{
    const simkit_computation_desc work = { .seconds = seconds, .name = name };
    assert_int_equal(simkit_process_compute(world, &work, NULL), SIMKIT_OK);
}

static void send(int to, double bytes, const char *name)
{
    const simkit_post_desc post = {
        .from = places[(int)(intptr_t)simkit_process_user(world, 0)], .to = boxes[to], .bytes = bytes, .name = name
    };
    assert_int_equal(simkit_mailbox_post(world, &post, NULL), SIMKIT_OK);
}

static void receive(int at)
{
    assert_int_equal(simkit_process_receive(world, boxes[at], NULL), SIMKIT_OK);
}

/* So many nodes with a mailbox and a process each. */
static simkit_reasons *open_crowd(int count, double latency, double bandwidth, simkit_call *body)
{
    const simkit_world_desc desc = { .latency = latency };
    const simkit_node_desc node = { .up_bandwidth = bandwidth, .down_bandwidth = bandwidth };
    reopen_world(&desc);
    simkit_reasons *r = record();
    crowd = count;
    for (int i = 0; i < count; ++i) {
        places[i] = add_node(&node);
        assert_int_equal(simkit_mailbox_open(world, places[i], NULL, &boxes[i]), SIMKIT_OK);
    }
    for (int i = 0; i < count; ++i) {
        const simkit_process_desc process = { .node = places[i], .body = body, .user = (void *)(intptr_t)i };
        assert_int_equal(simkit_process_start(world, &process, &processes[i]), SIMKIT_OK);
    }
    return r;
}

/* Fork and join: process 0 computes, sends each of the others a task, gets their results, computes. */
static void forks(simkit_world *w, void *user)
{
    const int self = (int)(intptr_t)user;
    (void)w;
    if (self > 0) {
        receive(self);
        compute(self, "work");
        send(0, 0, "result");
        return;
    }
    compute(1, "serial");
    for (int i = 1; i < crowd; ++i) send(i, 0, "task");
    for (int i = 1; i < crowd; ++i) receive(0);
    compute(2, "serial");
}

static void fork_and_join(void **state)
{
    (void)state;
    const double latency = 0.125;
    simkit_reasons *r = open_crowd(5, latency, 0, forks);
    run_world();
    assert_equal(simkit_clock_now(world), 1 + latency + 4 + latency + 2);
    assert_exact(ask_one(r, "work", 0, 0.5), 1 + latency + 2 + latency + 2);
    assert_exact(ask_one(r, "serial", 0, 0.25), 0.75 + 2 * latency + 4);
    assert_exact(ask_one(r, NULL, 1u << SIMKIT_REASON_LATENCY, 8), 3 + 2 + 4);
    assert_exact(ask_one(r, NULL, 0, 4), 4 * (7 + 2 * latency));
    const simkit_reason_change slowest = { .name = "work", .node = places[4], .factor = 0.875 };
    assert_exact(ask(r, &slowest, 1), 1 + 2 * latency + 3.5 + 2);
    const simkit_reason_change shorter = { .name = "work", .node = places[4], .factor = 0 };
    assert_estimate(ask(r, &shorter, 1), 1 + 2 * latency + 3 + 2,
                    "in another order"); /* the end is right all the same */
    const simkit_reason_change many[] = { { .name = "work", .factor = 2 },
                                          { .name = "serial", .factor = 0.5 },
                                          { .reasons = 1u << SIMKIT_REASON_LATENCY, .factor = 0.5 } };
    const simkit_reason_forecast forecast = ask(r, many, 3);
    assert_exact(forecast, 1.5 + latency + 8);
    assert_int_equal(forecast.pieces, 4 + 2 + 8);
    const simkit_reason_change to_last = { .name = "task", .node = places[0], .to = places[4], .factor = 9 };
    assert_exact(ask(r, &to_last, 1), 1 + 10 * latency + 4 + 2);
}

/* A pipeline: items pass from stage to stage, and wait in mailboxes. */
static const double stages[] = { 1, 2, 1.5, 0.5 };
enum { STAGES = 4, ITEMS = 9 };
static const char *const stage_names[] = { "stage 0", "stage 1", "stage 2", "stage 3" };

static void works_in_line(simkit_world *w, void *user)
{
    const int self = (int)(intptr_t)user;
    (void)w;
    for (int i = 0; i < ITEMS; ++i) {
        if (self > 0) receive(self);
        compute(stages[self], stage_names[self]);
        if (self + 1 < STAGES) send(self + 1, 1024, "item");
    }
}

static double pipeline(const double factors[STAGES], double hop)
{
    double sum = (STAGES - 1) * hop, slowest = 0;
    for (int i = 0; i < STAGES; ++i) {
        sum += factors[i] * stages[i];
        slowest = fmax(slowest, factors[i] * stages[i]);
    }
    return sum + (ITEMS - 1) * slowest;
}

/* The slowest stage sets the pace: when it gets faster, the next one does. */
static void a_pipeline(void **state)
{
    (void)state;
    const double hop = 0.25 + 1024 / 65536.0;
    simkit_reasons *r = open_crowd(STAGES, 0.25, 65536, works_in_line);
    run_world();
    assert_equal(simkit_clock_now(world), pipeline((const double[]){ 1, 1, 1, 1 }, hop));
    assert_exact(ask_one(r, "stage 1", 0, 0.5), pipeline((const double[]){ 1, 0.5, 1, 1 }, hop));
    assert_exact(ask_one(r, "stage 1", 0, 0.25), pipeline((const double[]){ 1, 0.25, 1, 1 }, hop));
    assert_exact(ask_one(r, "stage 0", 0, 4), pipeline((const double[]){ 4, 1, 1, 1 }, hop));
    assert_exact(ask_one(r, "stage 3", 0, 8), pipeline((const double[]){ 1, 1, 1, 8 }, hop));
    const simkit_reason_change two[] = { { .name = "stage 1", .factor = 0.5 }, { .name = "stage 2", .factor = 0.5 } };
    assert_exact(ask(r, two, 2), pipeline((const double[]){ 1, 0.5, 0.5, 1 }, hop));
    assert_exact(ask_one(r, "item", 1u << SIMKIT_REASON_TRANSMISSION, 4),
                 pipeline((const double[]){ 1, 1, 1, 1 }, 0.25 + 4096 / 65536.0));
    assert_false(ask_one(r, "item", 1u << SIMKIT_REASON_TRANSMISSION, 256).exact); /* items would meet on a link */
}

/* A ring with a token: everything is in line. */
static void passes_token(simkit_world *w, void *user)
{
    const int self = (int)(intptr_t)user;
    (void)w;
    for (int round = 0; round < 3; ++round) {
        if (self > 0 || round > 0) receive(self);
        compute(0.75, "hold");
        send((self + 1) % crowd, 512, "token");
    }
    if (self == 0) receive(0);
}

static void a_token_ring(void **state)
{
    (void)state;
    const double latency = 0.0625, bytes = 512 / 2048.0, n = 5 * 3;
    simkit_reasons *r = open_crowd(5, latency, 2048, passes_token);
    run_world();
    assert_equal(simkit_clock_now(world), n * (0.75 + latency + bytes));
    for (double f = 0; f <= 4; f = f > 0 ? 2 * f : 0.25) {
        assert_exact(ask_one(r, "hold", 0, f), n * (f * 0.75 + latency + bytes));
        assert_exact(ask_one(r, "token", 0, f), n * (0.75 + f * (latency + bytes)));
        assert_exact(ask_one(r, NULL, 1u << SIMKIT_REASON_LATENCY, f), n * (0.75 + f * latency + bytes));
        assert_exact(ask_one(r, NULL, 1u << SIMKIT_REASON_TRANSMISSION, f), n * (0.75 + latency + f * bytes));
    }
    const simkit_reason_change one = { .name = "hold", .node = places[2], .factor = 3 };
    assert_exact(ask(r, &one, 1), n * (0.75 + latency + bytes) + 3 * 2 * 0.75);
}

/* Amdahl: a serial part, then equal parts, by a barrier. */
static simkit_barrier fence;

static void works_in_parallel(simkit_world *w, void *user)
{
    if (user == NULL) compute(2, "serial");
    assert_int_equal(simkit_process_arrive(w, fence), SIMKIT_OK);
    compute(6.0 / crowd, "parallel");
    assert_int_equal(simkit_process_arrive(w, fence), SIMKIT_OK);
}

static void amdahls_law(void **state)
{
    (void)state;
    for (int n = 1; n <= 8; n *= 2) {
        simkit_reasons *r = open_crowd(n, 0, 0, works_in_parallel);
        assert_int_equal(simkit_barrier_open(world, NULL, (size_t)n, &fence), SIMKIT_OK);
        run_world();
        assert_equal(simkit_clock_now(world), 2 + 6.0 / n);
        for (double f = 0; f <= 4; f = f > 0 ? 2 * f : 0.25) {
            assert_exact(ask_one(r, "parallel", 0, f), 2 + f * 6 / n);
            assert_exact(ask_one(r, "serial", 0, f), 2 * f + 6.0 / n);
        }
        const simkit_reason_change one = { .name = "parallel", .node = places[n - 1], .factor = 2 };
        assert_exact(ask(r, &one, 1), 2 + 12.0 / n);
    }
}

/* A mutex: held in the order in which it was asked for. */
static simkit_resource mutex;

static void enters(simkit_world *w, void *user)
{
    compute(1 + (double)(intptr_t)user, "before");
    assert_int_equal(simkit_process_acquire(w, mutex, 1, 0), SIMKIT_OK);
    compute(4, "inside");
    assert_int_equal(simkit_resource_release(w, mutex, 1), SIMKIT_OK);
}

static void a_mutex(void **state)
{
    (void)state;
    simkit_reasons *r = open_crowd(3, 0, 0, enters);
    assert_int_equal(simkit_resource_open(world, NULL, &mutex), SIMKIT_OK);
    run_world();
    assert_equal(simkit_clock_now(world), 1 + 3 * 4);
    assert_exact(ask_one(r, "inside", 0, 0.5), 1 + 3 * 2);
    assert_exact(ask_one(r, "inside", 0, 0.125), 3 + 0.5);
    assert_exact(ask_one(r, "before", 0, 8), 8 + 16 + 4);
    const simkit_reason_change first = { .name = "before", .node = places[0], .factor = 2.5 };
    assert_estimate(ask(r, &first, 1), 2.5 + 12, "in another order"); /* a run gives 14: the second enters first */
}

/* What depends on the first of several things is an estimate, whichever that was. */
static int doubtful;

static void doubts(simkit_world *w, void *user)
{
    simkit_step step;
    simkit_condition condition;
    size_t which;
    const simkit_choice choices[] = { { .mailbox = boxes[0] }, { .process = processes[1] } };
    if (user) return;
    compute(1, "work");
    switch (doubtful) {
    case 0: assert_int_equal(simkit_process_choose(w, choices, 2, &which, NULL), SIMKIT_OK); break;
    case 1: assert_int_equal(simkit_process_choose(w, choices + 1, 1, &which, NULL), SIMKIT_OK); break; /* a join */
    case 2: assert_int_equal(simkit_process_limit(w, 1), SIMKIT_OK); break;
    case 3: assert_int_equal(simkit_process_interrupt(w, simkit_process_self(w)), SIMKIT_OK); break;
    case 4: assert_int_equal(simkit_mailbox_bound(w, boxes[1], 3), SIMKIT_OK); break;
    case 5: assert_int_equal(simkit_mailbox_close(w, boxes[1]), SIMKIT_OK); break;
    case 6: assert_int_equal(simkit_process_acquire(w, mutex, 1, 1), SIMKIT_OK); break;
    case 7: assert_int_equal(simkit_resource_close(w, mutex), SIMKIT_OK); break;
    case 8: assert_int_equal(simkit_node_fail(w, places[1]), SIMKIT_OK); break;
    case 9: assert_int_equal(simkit_link_change(w, 1, 2, 0), SIMKIT_OK); break;
    case 10:
        assert_int_equal(simkit_step_after(w, 1, 0, doubts, &step, &step), SIMKIT_OK);
        assert_true(simkit_step_cancel(w, step));
        break;
    case 11:
        assert_int_equal(simkit_condition_open(w, NULL, &condition), SIMKIT_OK);
        assert_int_equal(simkit_process_limit(w, 0), SIMKIT_OK);
        assert_int_equal(simkit_process_listen(w, condition, 0), SIMKIT_TIMED_OUT);
        break;
    case 12: /* two resumes before a suspend */
        for (int i = 0; i < 2; ++i) assert_int_equal(simkit_process_resume(w, simkit_process_self(w)), SIMKIT_OK);
        break;
    case 13: assert_int_equal(simkit_process_resume(w, simkit_process_self(w)), SIMKIT_OK); break;
    default: return;
    }
}

static void choices_are_estimates(void **state)
{
    (void)state;
    for (doubtful = 0; doubtful < 15; ++doubtful) {
        const simkit_link_desc cable = { .bandwidth = 1 };
        simkit_reasons *r = open_crowd(2, 0, 0, doubts);
        assert_int_equal(simkit_resource_open(world, NULL, &mutex), SIMKIT_OK);
        assert_int_equal(simkit_link_add(world, &cable, NULL), SIMKIT_OK);
        run_world();
        if (doubtful == 1 || doubtful >= 13)
            assert_exact(ask_one(r, "work", 0, 2), 2);
        else
            assert_estimate(ask_one(r, "work", 0, 2), 2, "which of several");
    }
}

/*=============================================================================
 * Random programs, and what another run of them gives
 *===========================================================================*/
enum {
    ACTORS = 4,
    OPS = 40,
    COMPUTES = 0,
    SENDS,
    POSTS,
    RECEIVES,
    MEETS,
    GIVES,
    TAKES,
    JOINS,
    HOLDS,
    RESUMES,
    SUSPENDS
};
typedef struct op {
    int what, other;
    double amount;
} op;
static op scripts[ACTORS][4 * OPS];
static int lengths[ACTORS];
static simkit_resource units[ACTORS];
static double stretch[3]; /* of "one", of "two", of the transmissions */

static void acts(simkit_world *w, void *user)
{
    const int self = (int)(intptr_t)user;
    for (int i = 0; i < lengths[self]; ++i) {
        const op *o = &scripts[self][i];
        const simkit_post_desc post = { .from = places[self],
                                        .to = boxes[o->other],
                                        .bytes = o->amount * stretch[2],
                                        .in_order = o->what == POSTS,
                                        .name = "message" };
        switch (o->what) {
        case COMPUTES: compute(o->amount * stretch[o->other], o->other ? "two" : "one"); break;
        case SENDS: assert_int_equal(simkit_process_send(w, &post, NULL), SIMKIT_OK); break;
        case POSTS: assert_int_equal(simkit_mailbox_post(w, &post, NULL), SIMKIT_OK); break;
        case RECEIVES: receive(self); break;
        case MEETS: assert_int_equal(simkit_process_arrive(w, fence), SIMKIT_OK); break;
        case GIVES: assert_int_equal(simkit_resource_release(w, units[o->other], 1), SIMKIT_OK); break;
        case TAKES: assert_int_equal(simkit_process_acquire(w, units[self], 1, 0), SIMKIT_OK); break;
        case JOINS: assert_int_equal(simkit_process_join(w, processes[o->other]), SIMKIT_OK); break;
        case HOLDS: assert_int_equal(simkit_process_wait(w, o->amount), SIMKIT_OK); break;
        case RESUMES: assert_int_equal(simkit_process_resume(w, processes[o->other]), SIMKIT_OK); break;
        default: assert_int_equal(simkit_process_suspend(w, NULL), SIMKIT_OK);
        }
    }
}

static void append(int actor, int what, int other, double amount)
{
    scripts[actor][lengths[actor]++] = (op){ what, other, amount };
}

static void write_scripts(void)
{
    const int kinds = 3 + draw_below(9);
    memset(lengths, 0, sizeof lengths);
    for (int i = 0; i < OPS; ++i) {
        const int a = draw_below(ACTORS), b = (a + 1 + draw_below(ACTORS - 1)) % ACTORS;
        const double amount = (1 + draw_below(64)) / 64.0;
        switch (draw_below(kinds)) {
        case 0:
        case 1: append(a, COMPUTES, draw_below(2), amount); break;
        case 2:
        case 3: append(a, draw_below(3) ? POSTS : SENDS, b, 1024 * draw_below(9)), append(b, RECEIVES, 0, 0); break;
        case 4:
            for (int k = 0; k < ACTORS; ++k) append(k, MEETS, 0, 0);
            break;
        case 5:
        case 6: append(a, GIVES, b, 0), append(b, TAKES, 0, 0); break;
        case 7: append(a, HOLDS, 0, amount); break;
        case 8:
            append(a, RESUMES, b, 0), append(b, SUSPENDS, 0, 0), append(b, MEETS, 0, 0);
            for (int k = 0; k < ACTORS; ++k)
                if (k != b) append(k, MEETS, 0, 0);
            break;
        default: append(a, COMPUTES, draw_below(2), 4 * amount);
        }
    }
    for (int k = 1; k < ACTORS; ++k) append(0, JOINS, k, 0);
    append(0, COMPUTES, 0, 1);
}

static simkit_reasons *perform(double latency, double one, double two, double bytes)
{
    stretch[0] = one, stretch[1] = two, stretch[2] = bytes;
    simkit_reasons *r = open_crowd(ACTORS, latency, 65536, acts);
    assert_int_equal(simkit_barrier_open(world, NULL, ACTORS, &fence), SIMKIT_OK);
    for (int k = 0; k < ACTORS; ++k) assert_int_equal(simkit_semaphore_open(world, NULL, 0, &units[k]), SIMKIT_OK);
    run_world();
    return r;
}

static void random_programs(void **state)
{
    static const double factors[] = { 0, 0.25, 0.5, 1, 1, 2, 4 };
    int exact = 0, close = 0, all = 0;
    (void)state;
    for (int i = 0; i < CASES(4000); ++i) {
        const double latency = 1 / 128.0;
        write_scripts();
        simkit_reasons *r = perform(latency, 1, 1, 1);
        double f[4];
        for (int k = 0; k < 4; ++k) f[k] = factors[draw_below(7)];
        const simkit_reason_change changes[] = {
            { .reasons = 1u << SIMKIT_REASON_COMPUTING, .name = "one", .factor = f[0] },
            { .name = "two", .factor = f[1] },
            { .reasons = 1u << SIMKIT_REASON_LATENCY, .factor = f[2] },
            { .reasons = 1u << SIMKIT_REASON_TRANSMISSION, .factor = f[3] },
        };
        const double was = simkit_clock_now(world);
        simkit_reason_forecast forecast;
        assert_exact(ask_one(r, NULL, 0, 1), was);
        if (simkit_reasons_what_if(r, changes, 4, &forecast) != SIMKIT_OK) {
            assert_non_null(strstr(simkit_world_why(world), "nothing"));
            continue;
        }
        perform(latency * f[2], f[0], f[1], f[3]);
        const double is = simkit_clock_now(world);
        ++all;
        exact += forecast.exact;
        close += fabs(forecast.end - is) <= 0.05 * is;
        if (forecast.exact && !(forecast.end >= is && forecast.end <= is))
            fail_msg("program %d: %.17g became %.17g, not %.17g", i, was, is, forecast.end);
    }
    print_message("%d programs: %d exact, %d within 5 %%\n", all, exact, close);
    assert_true(all > CASES(2000) && exact > all / 5 && close > all / 2);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_counter_says_what_it_waited_for),
        WORLD_TEST(callbacks_join_too),
        WORLD_TEST(shares_are_estimates),
        WORLD_TEST(pieces_that_would_meet),
        WORLD_TEST(transfers_that_would_meet),
        WORLD_TEST(wrong_questions),
        WORLD_TEST(memory_runs_out),
#ifndef SIMKIT_NO_PROCESSES
        WORLD_TEST(fork_and_join),
        WORLD_TEST(a_pipeline),
        WORLD_TEST(a_token_ring),
        WORLD_TEST(amdahls_law),
        WORLD_TEST(a_mutex),
        WORLD_TEST(choices_are_estimates),
        WORLD_TEST(random_programs),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
