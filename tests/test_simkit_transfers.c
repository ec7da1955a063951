/* Rooms transfers and ports of simkit.h: virtual clocks and finish tags against a loop that gives every flow its rate anew
 * at every event, by both policies of sharing. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "network.h"

enum { NODES = 64, FLOWS = NODES * (NODES - 1) };

typedef struct flow {
    unsigned from, to;
    double start, latency, seconds; /* alone */
    double own;                     /* bandwidth of the link of its pair, if that has one; else 0 */
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
            w,
            &(simkit_transfer_desc){ .from = f->from + 1,
                                     .to = f->to + 1,
                                     .bytes = f->seconds * (f->own > 0 ? f->own : fmin(up[f->from], down[f->to])),
                                     .done = has_ended,
                                     .user = f },
            NULL),
        SIMKIT_OK);
}

/* What each flow gets of its own rate, from the definition. */
static void equal_shares(double *share)
{
    size_t out[NODES] = { 0 }, in[NODES] = { 0 };
    for (size_t i = 0; i < count; ++i)
        if (flows[i].state == FLOWING) out[flows[i].from]++, in[flows[i].to]++;
    for (size_t i = 0; i < count; ++i) {
        const flow *f = &flows[i];
        if (f->state != FLOWING) continue;
        const double o = (double)out[f->from], n = (double)in[f->to], u = up[f->from], d = down[f->to];
        double pair = 0;
        for (size_t k = 0; f->own > 0 && k < count; ++k)
            pair += flows[k].state == FLOWING && flows[k].from == f->from && flows[k].to == f->to;
        share[i] = f->own > 0 ? fmin(fmin(u / o, d / n), f->own / pair) / f->own : fmin(u / o, d / n) / fmin(u, d);
    }
}

/* Water-filling: the link that is full first keeps its flows at that level; again with the others. */
static void maxmin_shares(double *share)
{
    double room[2][NODES];
    static bool fixed[FLOWS];
    memcpy(room[0], up, sizeof up);
    memcpy(room[1], down, sizeof down);
    for (size_t i = 0; i < count; ++i) fixed[i] = flows[i].state != FLOWING;
    for (;;) {
        double level = INFINITY;
        size_t side = 0, which = NODES;
        for (size_t s = 0; s < 2; ++s)
            for (size_t n = 0; n < nodes; ++n) {
                double crowd = 0;
                for (size_t i = 0; i < count; ++i) crowd += !fixed[i] && (s ? flows[i].to : flows[i].from) == n;
                if (crowd > 0 && room[s][n] / crowd < level) level = room[s][n] / crowd, side = s, which = n;
            }
        if (which == NODES) return;
        for (size_t i = 0; i < count; ++i) {
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
    for (size_t i = 0; i < count; ++i) flows[i].state = NOT_YET, flows[i].left = flows[i].seconds;
    for (;;) {
        double next = INFINITY;
        shares(share);
        for (size_t i = 0; i < count; ++i) {
            const flow *f = &flows[i];
            if (f->state == NOT_YET) next = fmin(next, f->start + f->latency);
            if (f->state == FLOWING) next = fmin(next, now + f->left / share[i]);
        }
        if (next == INFINITY) return;
        for (size_t i = 0; i < count; ++i) {
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
    bool mixed;          /* different links, also of pairs */
    double span;         /* within which they start */
    bool same_size;
} scene;

static void compare(const scene *s, simkit_sharing policy, uint64_t seed)
{
    simkit_random dice = { seed };
    nodes = s->nodes;
    count = s->flows ? s->flows : nodes * (nodes - 1);
    reopen_world(&(simkit_world_desc){ .sharing = policy, .latency = 1e-3 });
    for (size_t n = 0; n < nodes; ++n) {
        up[n] = s->mixed ? 1e6 * (double)(1 + simkit_random_bits(&dice) % 3) : 1e6;
        down[n] = s->mixed ? 1e6 * (0.5 + simkit_random_uniform(&dice)) : 1e6;
        add_node(&(simkit_node_desc){ .up_bandwidth = up[n], .down_bandwidth = down[n] });
    }
    for (size_t i = 0; i < count; ++i) {
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
            const double way = fmin(up[flows[i].from], down[flows[i].to]);
            const netmodel_link model = { 1e-4 * (double)(flows[i].from + 1), (double)(1 + flows[i].to % 3) / way };
            assert_int_equal(simkit_pair_set(world, flows[i].from + 1, flows[i].to + 1, &model), SIMKIT_OK);
            for (size_t k = 0; k < count; ++k)
                if (flows[k].from == flows[i].from && flows[k].to == flows[i].to) {
                    flows[k].latency = model.latency;
                    flows[k].own = 1 / model.byte_time;
                }
        }
    for (size_t i = 0; i < count; ++i)
        assert_int_equal(simkit_step_at(world, flows[i].start, 0, starts, &flows[i], NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    naive(policy == SIMKIT_SHARING_EQUAL ? equal_shares : maxmin_shares);
    for (size_t i = 0; i < count; ++i) assert_close(flows[i].ended, flows[i].end, 1e-9);
}

static void transfers_are_as_in_the_loop(void **state)
{
    static const scene scenes[] = {
        { 2, 10, false, 0, false },   { 3, 40, false, 5, false },   { 8, 100, true, 10, false },
        { 8, 0, false, 0, false },    { 8, 0, false, 0, true },     { 16, 0, true, 0, false },
        { 16, 240, true, 30, false }, { 64, 200, false, 5, false }, { 64, 300, true, 20, false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i)
        for (uint64_t seed = 1; seed <= 4; ++seed) {
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
    for (uint64_t seed = 0; seed < 20; ++seed)
        compare(&(scene){ 3, 60, false, 20, false }, SIMKIT_SHARING_EQUAL, 1000 + seed);
}

/* Alone, a transfer takes what its model says, to the bit, by both policies, and when others are far away. */
static void alone_it_takes_what_its_model_says(void **state)
{
    (void)state;
    for (int policy = SIMKIT_SHARING_EQUAL; policy <= SIMKIT_SHARING_MAXMIN; ++policy) {
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        const simkit_node_desc desc = { .up_bandwidth = 1 / 3e-7, .down_bandwidth = 1e7 };
        for (int n = 0; n < 4; ++n) add_node(&desc);
        flow one = { .ended = -1 }, far = { .ended = -1 };
        up[0] = 1 / 3e-7;
        assert_int_equal(
            simkit_transfer_start(
                world,
                &(simkit_transfer_desc){ .from = 1, .to = 2, .bytes = 12345678, .done = has_ended, .user = &one },
                NULL),
            SIMKIT_OK);
        assert_int_equal(
            simkit_transfer_start(
                world, &(simkit_transfer_desc){ .from = 3, .to = 4, .bytes = 1e7, .done = has_ended, .user = &far },
                NULL),
            SIMKIT_OK);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_true(one.ended == 12345678 * 3e-7);
        assert_true(far.ended == 1e7 * 3e-7);
    }
    simkit_world *none;
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .sharing = (simkit_sharing)7 }, &none),
                     SIMKIT_BAD_ARGUMENT);
}

/* Also one that has come to follow its other port within the instant in which it began: with the third transfer the first
 * follows its down end, without it its up end. */
static void alike_transfers_end_in_order_after_turning(void **state)
{
    (void)state;
    for (int policy = SIMKIT_SHARING_EQUAL; policy <= SIMKIT_SHARING_MAXMIN; ++policy) {
        simkit_transfer third;
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        for (int n = 0; n < 3; ++n) add_node(&(simkit_node_desc){ .up_bandwidth = 1, .down_bandwidth = 1 });
        ordered = 0;
        for (size_t i = 0; i < 3; ++i) {
            const simkit_transfer_desc desc = {
                .from = 1, .to = 3, .bytes = i < 2 ? 3 : 1, .done = is_next, .user = (void *)(uintptr_t)i
            };
            if (i == 1) {
                assert_int_equal(
                    simkit_transfer_start(world, &(simkit_transfer_desc){ .from = 2, .to = 3, .bytes = 1 }, &third),
                    SIMKIT_OK);
                assert_int_equal(simkit_world_run_until(world, 0), SIMKIT_OK);
                assert_true(simkit_transfer_cancel(world, third));
            }
            assert_int_equal(simkit_transfer_start(world, &desc, NULL), SIMKIT_OK);
        }
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_int_equal(ordered, 3);
        const size_t right[] = { 2, 0, 1 };
        for (size_t i = 0; i < 3; ++i) assert_int_equal(order[i], right[i]);
        assert_close(simkit_clock_now(world), 7, 1e-12);
    }
}

/*=============================================================================
 * Cancelling: closed forms, by both policies
 *===========================================================================*/
enum { DONE = 1, LOST };

typedef struct move {
    simkit_transfer handle;
    double time; /* of its end */
    int how;     /* 0: no callback was called */
} move;

typedef struct cancelling {
    move *victim;
    bool answer;
    int calls;
} cancelling;

static void move_done(simkit_world *w, void *user)
{
    move *m = user;
    m->how = DONE;
    m->time = simkit_clock_now(w);
}

static void move_lost(simkit_world *w, void *user)
{
    move *m = user;
    m->how = LOST;
    m->time = simkit_clock_now(w);
}

static void cancels(simkit_world *w, void *user)
{
    cancelling *c = user;
    c->answer = simkit_transfer_cancel(w, c->victim->handle);
    ++c->calls;
    assert_false(simkit_transfer_cancel(w, c->victim->handle)); /* once */
}

static void moves(move *m, simkit_node from, simkit_node to, double bytes, bool in_order)
{
    const simkit_transfer_desc desc = {
        .from = from, .to = to, .bytes = bytes, .in_order = in_order, .done = move_done, .lost = move_lost, .user = m
    };
    *m = (move){ 0 };
    assert_int_equal(simkit_transfer_start(world, &desc, &m->handle), SIMKIT_OK);
    assert_true(m->handle != 0);
}

static void cancel_at(cancelling *c, move *victim, double time, int priority)
{
    *c = (cancelling){ .victim = victim };
    assert_int_equal(simkit_step_at(world, time, priority, cancels, c, NULL), SIMKIT_OK);
}

/* Three nodes of 1 MB/s each way. */
static void three_nodes(int policy, double latency)
{
    reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy, .latency = latency });
    for (int i = 0; i < 3; ++i) add_node(&(simkit_node_desc){ .up_bandwidth = 1e6, .down_bandwidth = 1e6 });
}

static void assert_moved(const move *m, double time)
{
    assert_int_equal(m->how, DONE);
    assert_close(m->time, time, 1e-12);
}

static void a_cancelled_transfer_gives_its_share_back(void **state)
{
    (void)state;
    for (int policy = SIMKIT_SHARING_EQUAL; policy <= SIMKIT_SHARING_MAXMIN; ++policy) {
        move one, two, three;
        cancelling c;
        three_nodes(policy, 0);
        moves(&one, 1, 3, 2e6, false);
        moves(&two, 2, 3, 2e6, false);
        moves(&three, 1, 2, 1e6, false); /* beside one at its sender */
        cancel_at(&c, &one, 1, 0);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_true(c.answer);
        assert_int_equal(one.how, 0);
        assert_moved(&two, 2.5);   /* 0.5 MB in the first second, then 1 MB in each */
        assert_moved(&three, 1.5); /* likewise */
    }
}

/* One that has joined at this very instant: it never flowed, and nobody has less for it. */
static void a_transfer_is_cancelled_as_it_begins_to_flow(void **state)
{
    (void)state;
    for (int policy = SIMKIT_SHARING_EQUAL; policy <= SIMKIT_SHARING_MAXMIN; ++policy)
        for (int victim = 0; victim < 3; ++victim) {
            move m[3];
            cancelling c;
            three_nodes(policy, 0.5);
            for (int i = 0; i < 3; ++i) moves(&m[i], 1, 2, 1e6, false);
            cancel_at(&c, &m[victim], 0.5, 1);
            assert_int_equal(simkit_world_run(world), SIMKIT_OK);
            assert_true(c.answer);
            assert_int_equal(m[victim].how, 0);
            for (int i = 0; i < 3; ++i)
                if (i != victim) assert_moved(&m[i], 2.5);
        }
}

/* Of four on a connection of 0.25 s latency and 1 s of bytes each, one is cancelled: while it waits for its turn, in its
 * latency, and while it flows. */
static void the_next_on_a_connection_has_its_turn(void **state)
{
    static const struct {
        int victim;
        double when, ends[4];
    } cases[] = { { 1, 0.5, { 1.25, 0, 2.5, 3.75 } },       { 3, 2, { 1.25, 2.5, 3.75, 0 } },
                  { 0, 0.125, { 0, 1.375, 2.625, 3.875 } }, { 0, 1, { 0, 2.25, 3.5, 4.75 } },
                  { 2, 2.625, { 1.25, 2.5, 0, 3.875 } },    { 3, 4.5, { 1.25, 2.5, 3.75, 0 } } };
    (void)state;
    for (int policy = SIMKIT_SHARING_EQUAL; policy <= SIMKIT_SHARING_MAXMIN; ++policy)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
            move m[4], later;
            cancelling c;
            three_nodes(policy, 0.25);
            for (int i = 0; i < 4; ++i) moves(&m[i], 1, 2, 1e6, true);
            cancel_at(&c, &m[cases[k].victim], cases[k].when, 0);
            assert_int_equal(simkit_world_run(world), SIMKIT_OK);
            assert_true(c.answer);
            for (int i = 0; i < 4; ++i)
                if (i == cases[k].victim)
                    assert_int_equal(m[i].how, 0);
                else
                    assert_moved(&m[i], cases[k].ends[i]);
            const double now = simkit_clock_now(world);
            moves(&later, 1, 2, 1e6, true); /* the connection is free */
            assert_int_equal(simkit_world_run(world), SIMKIT_OK);
            assert_moved(&later, now + 1.25);
        }
}

/* What would end at this instant can still be cancelled before its turn, and not after it. */
static void a_transfer_that_is_done_at_this_instant(void **state)
{
    (void)state;
    for (int policy = SIMKIT_SHARING_EQUAL; policy <= SIMKIT_SHARING_MAXMIN; ++policy)
        for (int priority = -1; priority <= 1; priority += 2) {
            move one, two;
            cancelling c;
            three_nodes(policy, 0);
            moves(&one, 1, 2, 1e6, false);
            moves(&two, 1, 2, 1e6, false);
            cancel_at(&c, &one, 2, priority);
            assert_int_equal(simkit_world_run(world), SIMKIT_OK);
            assert_int_equal(c.answer, priority < 0);
            assert_int_equal(one.how, priority < 0 ? 0 : DONE);
            assert_moved(&two, 2);
        }
}

/* A node's transfers to itself, and those without bytes. */
static void a_transfer_that_shares_with_nobody_is_cancelled(void **state)
{
    move own, empty;
    cancelling c[2];
    (void)state;
    three_nodes(SIMKIT_SHARING_EQUAL, 1);
    assert_int_equal(simkit_pair_set(world, 1, 1, &(netmodel_link){ 1, 1e-6 }), SIMKIT_OK);
    moves(&own, 1, 1, 1e6, false);
    moves(&empty, 1, 2, 0, false);
    cancel_at(&c[0], &own, 1.5, 0);
    cancel_at(&c[1], &empty, 0.5, 0);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_true(c[0].answer && c[1].answer);
    assert_int_equal(own.how, 0);
    assert_int_equal(empty.how, 0);
    assert_equal(simkit_clock_now(world), 1.5);
}

/* The processor goes back to who computes there. */
static void a_cancelled_transfer_takes_no_more_of_the_processor(void **state)
{
    const simkit_node_desc desc = { .up_bandwidth = 1e6, .down_bandwidth = 1e6, .cpu_per_incoming = 0.5 };
    move m, work = { 0 };
    cancelling c;
    (void)state;
    add_node(&desc);
    add_node(&desc);
    moves(&m, 1, 2, 1e9, false);
    assert_int_equal(
        simkit_computation_start(
            world, &(simkit_computation_desc){ .node = 2, .seconds = 2, .done = move_done, .user = &work }, NULL),
        SIMKIT_OK);
    cancel_at(&c, &m, 2, 0);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_moved(&work, 3); /* half a core for two seconds, then all of it */
}

/* From the callback of another, and of its own: then it is over already. */
static void a_callback_cancels(void **state)
{
    move victim;
    cancelling c = { .victim = &victim }, own;
    simkit_transfer_desc first = { .from = 1, .to = 3, .bytes = 1e6, .done = cancels, .user = &c };
    (void)state;
    three_nodes(SIMKIT_SHARING_EQUAL, 0);
    moves(&victim, 2, 3, 2e6, false);
    assert_int_equal(simkit_transfer_start(world, &first, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_true(c.answer);
    assert_int_equal(victim.how, 0);
    assert_equal(simkit_clock_now(world), 2);

    move itself = { 0 };
    own = (cancelling){ .victim = &itself };
    first.user = &own;
    assert_int_equal(simkit_transfer_start(world, &first, &itself.handle), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(own.calls, 1);
    assert_false(own.answer);
}

static void a_handle_outlives_its_transfer(void **state)
{
    move m[3];
    (void)state;
    three_nodes(SIMKIT_SHARING_EQUAL, 0);
    assert_false(simkit_transfer_cancel(NULL, 1));
    assert_false(simkit_transfer_cancel(world, 0));
    assert_false(simkit_transfer_cancel(world, 1));
    assert_false(simkit_transfer_cancel(world, UINT64_MAX));
    assert_false(simkit_transfer_cancel(world, UINT32_C(0x80000001)));
    moves(&m[0], 1, 2, 1e6, false);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    moves(&m[1], 1, 2, 1e6, false); /* in the same place */
    assert_false(simkit_transfer_cancel(world, m[0].handle));
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_moved(&m[1], 2);

    simkit_transfer none = 7;
    assert_int_equal(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = 1, .to = 9 }, &none),
                     SIMKIT_UNKNOWN_NODE);
    assert_true(none == 0);
    moves(&m[2], 1, 2, 1e6, false);
    assert_int_equal(simkit_node_fail(world, 2), SIMKIT_OK);
    assert_false(simkit_transfer_cancel(world, m[2].handle)); /* lost, and to be told so */
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(m[2].how, LOST);
}

static char seen[200];

static void sees(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    static const char *const phases[] = { "requested", "begin", "flow", "wait", "resume", "end", "lost" };
    const size_t used = strlen(seen);
    (void)user;
    snprintf(seen + used, sizeof seen - used, "%s %s@%g ", event->name, phases[event->phase], simkit_clock_now(w));
}

static void watchers_see_a_cancelled_transfer_as_lost(void **state)
{
    simkit_transfer first;
    (void)state;
    seen[0] = 0;
    three_nodes(SIMKIT_SHARING_EQUAL, 1);
    assert_int_equal(simkit_watch_add(world, SIMKIT_WATCH_TRANSFER, sees, NULL), SIMKIT_OK);
    for (int i = 0; i < 2; ++i)
        assert_int_equal(
            simkit_transfer_start(
                world,
                &(simkit_transfer_desc){ .from = 1, .to = 2, .bytes = 1e6, .in_order = true, .name = i ? "b" : "a" },
                i ? NULL : &first),
            SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 1.5), SIMKIT_OK);
    assert_true(simkit_transfer_cancel(world, first));
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_string_equal(seen,
                        "a requested@0 a begin@0 b requested@0 a flow@1 a lost@1.5 b begin@1.5 b flow@2.5 b end@3.5 ");
}

static int received;

static void receives(simkit_world *w, void *user, const simkit_message *message)
{
    (void)w;
    assert_non_null(message);
    ++received;
    *(simkit_message *)user = *message;
}

/* On its way, and as a message that takes no time: it never arrives, and the receiver waits for the next one. */
static void a_cancelled_message_never_arrives(void **state)
{
    (void)state;
    for (int instant = 0; instant < 2; ++instant) {
        simkit_message message = { 0 };
        simkit_mailbox box;
        move m[2] = { { 0 } };
        int marks[2];
        received = 0;
        three_nodes(SIMKIT_SHARING_EQUAL, 0);
        assert_int_equal(simkit_mailbox_open(world, 2, NULL, &box), SIMKIT_OK);
        assert_int_equal(simkit_mailbox_take(world, box, receives, &message, NULL), SIMKIT_OK);
        for (int i = 0; i < 2; ++i)
            assert_int_equal(simkit_mailbox_post(world,
                                                 &(simkit_post_desc){ .from = 1,
                                                                      .to = box,
                                                                      .bytes = instant ? 0 : 1e6,
                                                                      .data = &marks[i],
                                                                      .done = move_done,
                                                                      .lost = move_lost,
                                                                      .user = &m[i] },
                                                 &m[i].handle),
                             SIMKIT_OK);
        assert_true(simkit_transfer_cancel(world, m[0].handle));
        assert_false(simkit_transfer_cancel(world, m[0].handle));
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_int_equal(m[0].how, 0);
        assert_moved(&m[1], instant ? 0 : 1);
        assert_int_equal(received, 1);
        assert_ptr_equal(message.data, &marks[1]);
        assert_int_equal(simkit_mailbox_messages(world, box), 0);
        assert_false(simkit_transfer_cancel(world, m[1].handle));
        /* Nor does the handle of a message that has arrived cancel one that takes its place. */
        const simkit_transfer old[] = { m[0].handle, m[1].handle };
        m[0] = m[1] = (move){ 0 };
        for (int i = 0; i < 2; ++i)
            assert_int_equal(simkit_mailbox_post(world,
                                                 &(simkit_post_desc){ .from = 1,
                                                                      .to = box,
                                                                      .bytes = instant ? 0 : 1e6,
                                                                      .done = move_done,
                                                                      .lost = move_lost,
                                                                      .user = &m[i] },
                                                 &m[i].handle),
                             SIMKIT_OK);
        for (int i = 0; i < 2; ++i) assert_false(simkit_transfer_cancel(world, old[i]));
        /* One that is lost with its node is not cancelled once more. */
        assert_int_equal(simkit_node_fail(world, 2), SIMKIT_OK);
        for (int i = 0; i < 2; ++i) assert_false(simkit_transfer_cancel(world, m[i].handle));
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        for (int i = 0; i < 2; ++i) assert_int_equal(m[i].how, LOST);
    }
}

/* What is asked for beforehand is what a transfer takes that nobody disturbs: by links of nodes, routes, windows, limits, and
 * links of pairs that take one half or both from their way. */
static void what_it_takes_alone_is_known_before(void **state)
{
    (void)state;
    for (int kind = 0; kind < 48; ++kind) {
        const bool routed = kind % 2 == 1, windowed = kind / 2 % 2 == 1, limited = kind / 4 % 2 == 1;
        const int own = kind / 8; /* 0: none; else which halves it has itself */
        const simkit_world_desc desc = { .latency = 1e-3, .window = windowed ? 2e4 : 0 };
        const simkit_node_desc node = { .up_bandwidth = 1e6, .down_bandwidth = 2e6 };
        const netmodel_link link = { own & 1 ? 5e-3 : SIMKIT_OF_WAY, own & 2 ? 1e-5 : SIMKIT_OF_WAY };
        simkit_transfer_desc transfer = { .bytes = 1e5, .rate_limit = limited ? 5e5 : 0 };
        simkit_hop hop = { 0 };
        reopen_world(&desc);
        assert_int_equal(simkit_node_add(world, &node, &transfer.from), SIMKIT_OK);
        assert_int_equal(simkit_node_add(world, &node, &transfer.to), SIMKIT_OK);
        if (own == 5) transfer.to = transfer.from;
        if (routed && own < 5) {
            const simkit_link_desc wire = { .bandwidth = 2.5e5, .latency = 2e-3 };
            assert_int_equal(simkit_link_add(world, &wire, &hop.link), SIMKIT_OK);
            assert_int_equal(simkit_route_set(world, transfer.from, transfer.to, &hop, 1, false), SIMKIT_OK);
        }
        if (own > 0) assert_int_equal(simkit_pair_set(world, transfer.from, transfer.to, &link), SIMKIT_OK);

        double latency = own & 1 ? 5e-3 : own == 5 ? 0 : routed ? 3e-3 : 1e-3;
        double rate = own & 2 ? 1e5 : own == 5 ? (double)INFINITY : routed ? 2.5e5 : 1e6;
        if (windowed && 2e4 / (2 * latency) < rate) rate = netmodel_window_rate(2e4, latency);
        if (limited && rate > 5e5) rate = 5e5;
        const netmodel_link alone = simkit_transfer_alone(world, &transfer);
        assert_close(alone.latency, latency, 1e-12);
        assert_close(alone.byte_time, 1 / rate, 1e-12);
        assert_int_equal(simkit_transfer_start(world, &transfer, NULL), SIMKIT_OK);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_close(simkit_clock_now(world), latency + 1e5 / rate, 1e-12);
    }
    const simkit_transfer_desc nowhere = { .from = 1, .to = 3 };
    assert_true(isnan(simkit_transfer_alone(world, &nowhere).latency));
    assert_true(isnan(simkit_transfer_alone(NULL, &nowhere).byte_time));
    assert_true(isnan(simkit_transfer_alone(world, NULL).byte_time));
    const netmodel_link negative = { -0.5, 0 };
    assert_int_equal(simkit_pair_set(world, 1, 2, &negative), SIMKIT_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(transfers_are_as_in_the_loop),
        WORLD_TEST(shares_trade_places),
        WORLD_TEST(alone_it_takes_what_its_model_says),
        WORLD_TEST(alike_transfers_end_in_order_after_turning),
        WORLD_TEST(a_cancelled_transfer_gives_its_share_back),
        WORLD_TEST(a_transfer_is_cancelled_as_it_begins_to_flow),
        WORLD_TEST(the_next_on_a_connection_has_its_turn),
        WORLD_TEST(a_transfer_that_is_done_at_this_instant),
        WORLD_TEST(a_transfer_that_shares_with_nobody_is_cancelled),
        WORLD_TEST(a_cancelled_transfer_takes_no_more_of_the_processor),
        WORLD_TEST(a_callback_cancels),
        WORLD_TEST(a_handle_outlives_its_transfer),
        WORLD_TEST(watchers_see_a_cancelled_transfer_as_lost),
        WORLD_TEST(a_cancelled_message_never_arrives),
        WORLD_TEST(what_it_takes_alone_is_known_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
