/* Rooms transfers and ports of simkit.h: virtual clocks and finish tags against a loop that gives every flow its rate anew
 * at every event, by both policies of sharing. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "world.h"

enum { NODES = 64, FLOWS = NODES * (NODES - 1) };

typedef struct flow {
    unsigned from, to;
    double start, latency, seconds; /* alone */
    double own;                     /* bandwidth, if it has a model; else 0 */
    double left, end, ended;        /* naive, and by the engine */
    enum { NOT_YET, FLOWING, GONE } state;
} flow;

static flow flows[FLOWS];
static double up[NODES], down[NODES];
static size_t count, nodes;

static void has_ended(simkit_world *w, void *user)
{
    flow *f = user;
    assert_true(f->ended < 0);
    f->ended = simkit_clock_now(w);
}

static void starts(simkit_world *w, void *user)
{
    flow *f = user;
    assert_int_equal(
        simkit_transfer_start(
            w, &(simkit_transfer_desc){ .from = f->from + 1,
                                        .to = f->to + 1,
                                        .bytes = f->seconds * (f->own > 0 ? f->own : fmin(up[f->from], down[f->to])),
                                        .done = has_ended,
                                        .user = f }),
        SIMKIT_OK);
}

/* What each flow gets of its own rate, from the definition. */
static void equal_shares(double *share)
{
    size_t out[NODES] = { 0 }, in[NODES] = { 0 };
    for (size_t i = 0; i < count; i++)
        if (flows[i].state == FLOWING) out[flows[i].from]++, in[flows[i].to]++;
    for (size_t i = 0; i < count; i++) {
        const flow *f = &flows[i];
        if (f->state != FLOWING) continue;
        const double o = (double)out[f->from], n = (double)in[f->to], u = up[f->from], d = down[f->to];
        share[i] = f->own > 0 ? fmin(1 / o, 1 / n) : fmin(u / o, d / n) / fmin(u, d);
    }
}

/* Water-filling: the link that is full first keeps its flows at that level; again with the others. */
static void maxmin_shares(double *share)
{
    double room[2][NODES];
    static bool fixed[FLOWS];
    memcpy(room[0], up, sizeof up);
    memcpy(room[1], down, sizeof down);
    for (size_t i = 0; i < count; i++) fixed[i] = flows[i].state != FLOWING;
    for (;;) {
        double level = INFINITY;
        size_t side = 0, which = NODES;
        for (size_t s = 0; s < 2; s++)
            for (size_t n = 0; n < nodes; n++) {
                double crowd = 0;
                for (size_t i = 0; i < count; i++) crowd += !fixed[i] && (s ? flows[i].to : flows[i].from) == n;
                if (crowd > 0 && room[s][n] / crowd < level) level = room[s][n] / crowd, side = s, which = n;
            }
        if (which == NODES) return;
        for (size_t i = 0; i < count; i++) {
            flow *f = &flows[i];
            if (fixed[i] || (side ? f->to : f->from) != which) continue;
            fixed[i] = true;
            room[0][f->from] -= level;
            room[1][f->to] -= level;
            share[i] = level / fmin(up[f->from], down[f->to]);
        }
    }
}

static void naive(void (*shares)(double *))
{
    static double share[FLOWS];
    double now = 0;
    for (size_t i = 0; i < count; i++) flows[i].state = NOT_YET, flows[i].left = flows[i].seconds;
    for (;;) {
        double next = INFINITY;
        shares(share);
        for (size_t i = 0; i < count; i++) {
            const flow *f = &flows[i];
            if (f->state == NOT_YET) next = fmin(next, f->start + f->latency);
            if (f->state == FLOWING) next = fmin(next, now + f->left / share[i]);
        }
        if (next == INFINITY) return;
        for (size_t i = 0; i < count; i++) {
            flow *f = &flows[i];
            if (f->state == FLOWING) {
                f->left -= (next - now) * share[i];
                if (f->left <= 1e-14 * (f->seconds + next)) f->state = GONE, f->end = next;
            } else if (f->state == NOT_YET && f->start + f->latency <= next) {
                f->state = f->seconds > 0 ? FLOWING : GONE;
                f->end = next;
            }
        }
        now = next;
    }
}

typedef struct scene {
    size_t nodes, flows; /* flows 0: all to all */
    bool mixed;          /* different links, and models of pairs */
    double span;         /* within which they start */
    bool same_size;
} scene;

static void compare(const scene *s, simkit_sharing policy, uint64_t seed)
{
    simkit_random dice = { seed };
    nodes = s->nodes;
    count = s->flows ? s->flows : nodes * (nodes - 1);
    reopen_world(&(simkit_world_desc){ .sharing = policy, .latency = 1e-3 });
    for (size_t n = 0; n < nodes; n++) {
        up[n] = s->mixed ? 1e6 * (double)(1 + simkit_random_bits(&dice) % 3) : 1e6;
        down[n] = s->mixed ? 1e6 * (0.5 + simkit_random_uniform(&dice)) : 1e6;
        add_node(&(simkit_node_desc){ .up_bandwidth = up[n], .down_bandwidth = down[n] });
    }
    for (size_t i = 0; i < count; i++) {
        flow *f = &flows[i];
        memset(f, 0, sizeof *f);
        if (s->flows) {
            f->from = (unsigned)(simkit_random_bits(&dice) % nodes);
            f->to = (unsigned)((f->from + 1 + simkit_random_bits(&dice) % (nodes - 1)) % nodes);
        } else {
            f->from = (unsigned)(i / (nodes - 1));
            f->to = (unsigned)((f->from + 1 + i % (nodes - 1)) % nodes);
        }
        f->start = s->span * floor(8 * simkit_random_uniform(&dice)) / 8; /* some at one instant */
        if (simkit_random_bits(&dice) % 2) f->start += s->span * simkit_random_uniform(&dice) / 8;
        f->latency = 1e-3;
        f->seconds = s->same_size ? 1 : simkit_random_exponential(&dice, 1);
        if (s->mixed && simkit_random_bits(&dice) % 20 == 0) f->seconds = 0;
        f->ended = -1;
    }
    if (s->mixed && policy == SIMKIT_SHARING_EQUAL)
        for (size_t i = 0; i < count; i += 3) {
            const netmodel_link model = { 1e-4 * (double)(flows[i].from + 1), 1e-6 * (double)(flows[i].to + 1) };
            assert_int_equal(simkit_pair_set(world, flows[i].from + 1, flows[i].to + 1, &model), SIMKIT_OK);
            for (size_t k = 0; k < count; k++)
                if (flows[k].from == flows[i].from && flows[k].to == flows[i].to) {
                    flows[k].latency = model.latency;
                    flows[k].own = 1 / model.byte_time;
                }
        }
    for (size_t i = 0; i < count; i++)
        assert_int_equal(simkit_step_at(world, flows[i].start, 0, starts, &flows[i], NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    naive(policy == SIMKIT_SHARING_EQUAL ? equal_shares : maxmin_shares);
    for (size_t i = 0; i < count; i++) assert_close(flows[i].ended, flows[i].end, 1e-9);
}

static void transfers_are_as_in_the_loop(void **state)
{
    static const scene scenes[] = {
        { 2, 10, false, 0, false },   { 3, 40, false, 5, false },   { 8, 100, true, 10, false },
        { 8, 0, false, 0, false },    { 8, 0, false, 0, true },     { 16, 0, true, 0, false },
        { 16, 240, true, 30, false }, { 64, 200, false, 5, false }, { 64, 300, true, 20, false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            compare(&scenes[i], SIMKIT_SHARING_EQUAL, 10 * i + seed);
            if (seed <= 2) compare(&scenes[i], SIMKIT_SHARING_MAXMIN, 10 * i + seed);
        }
#ifndef TESTS_SLOW
    compare(&(scene){ 64, 0, false, 0, false }, SIMKIT_SHARING_EQUAL, 99);
    compare(&(scene){ 64, 0, true, 3, false }, SIMKIT_SHARING_EQUAL, 99);
#endif
}

/* Where shares at both ends keep trading places, a flow follows both by turns, and nothing is lost on the way. */
static void shares_trade_places(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++)
        compare(&(scene){ 3, 60, false, 20, false }, SIMKIT_SHARING_EQUAL, 1000 + seed);
}

/* Alone, a transfer takes what its model says, to the bit, by both policies, and when others are far away. */
static void alone_it_takes_what_its_model_says(void **state)
{
    (void)state;
    for (int policy = SIMKIT_SHARING_EQUAL; policy <= SIMKIT_SHARING_MAXMIN; policy++) {
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        const simkit_node_desc desc = { .up_bandwidth = 1 / 3e-7, .down_bandwidth = 1e7 };
        for (int n = 0; n < 4; n++) add_node(&desc);
        flow one = { .ended = -1 }, far = { .ended = -1 };
        up[0] = 1 / 3e-7;
        assert_int_equal(
            simkit_transfer_start(
                world,
                &(simkit_transfer_desc){ .from = 1, .to = 2, .bytes = 12345678, .done = has_ended, .user = &one }),
            SIMKIT_OK);
        assert_int_equal(
            simkit_transfer_start(
                world, &(simkit_transfer_desc){ .from = 3, .to = 4, .bytes = 1e7, .done = has_ended, .user = &far }),
            SIMKIT_OK);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_true(one.ended == 12345678 * 3e-7);
        assert_true(far.ended == 1e7 * 3e-7);
    }
    simkit_world *none;
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .sharing = (simkit_sharing)7 }, &none), SIMKIT_BAD_ARGUMENT);
}

static size_t order[NODES], ordered;

static void is_next(simkit_world *w, void *user)
{
    (void)w;
    order[ordered++] = (size_t)(uintptr_t)user;
}

/* Those that end at one instant end in the order in which they were started, by both policies, whatever place in memory
 * each has. */
static void ends_of_one_instant_are_in_order(void **state)
{
    (void)state;
    for (int policy = SIMKIT_SHARING_EQUAL; policy <= SIMKIT_SHARING_MAXMIN; policy++) {
        const simkit_node_desc desc = { .up_bandwidth = 1e6, .down_bandwidth = 1e6 };
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        for (int n = 0; n < NODES; n++) add_node(&desc);
        for (int round = 0; round < 3; round++) { /* places are used again from the last one back */
            ordered = 0;
            for (size_t i = 1; i < NODES; i++)
                assert_int_equal(
                    simkit_transfer_start(world, &(simkit_transfer_desc){ .from = 1,
                                                                          .to = (simkit_node)(NODES + 1 - i),
                                                                          .bytes = 1e4,
                                                                          .done = is_next,
                                                                          .user = (void *)(uintptr_t)i }),
                    SIMKIT_OK);
            assert_int_equal(simkit_world_run(world), SIMKIT_OK);
            assert_int_equal(ordered, NODES - 1);
            for (size_t i = 1; i < NODES; i++) assert_int_equal(order[i - 1], i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(transfers_are_as_in_the_loop),
        WORLD_TEST(shares_trade_places),
        WORLD_TEST(alone_it_takes_what_its_model_says),
        WORLD_TEST(ends_of_one_instant_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
