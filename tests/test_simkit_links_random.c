/* Room links of simkit.h: random networks against a simulation that computes every rate anew at every event; and tables
 * against calls that change links. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "network.h"
#include "slow_rates.h"

enum { MOST_NODES = 8, MOST_LINKS = 12, MOST_FLOWS = 24, MOST_CHANGES = 6 };

/* A random network and what happens there. */
typedef struct flow {
    int from, to, count, links[MOST_LINKS]; /* what it crosses */
    double bytes, weight, begin, latency, left, rate, end;
    int state; /* 0: to come, 1: flows, 2: done, 3: lost */
} flow;

typedef struct network {
    int nodes, links, flows, changes, maxmin, places;
    int returns, tables; /* a change repairs the link; changes are rows of tables */
    double bandwidth[MOST_LINKS], duplex[MOST_LINKS], latency[MOST_LINKS], up[MOST_NODES];
    slow_shared shared[3 * MOST_LINKS + MOST_NODES + MOST_NODES * MOST_NODES + MOST_FLOWS];
    double own[MOST_NODES][MOST_NODES]; /* of the links of pairs */
    int failed[MOST_LINKS];
    flow flow[MOST_FLOWS];
    slow_flow slow[MOST_FLOWS];
    struct {
        double time, bandwidth; /* 0: fails; negative: returns */
        int link;
    } change[MOST_CHANGES];
} network;

static void compute_rates(network *n)
{
    for (int i = 0; i < n->flows; ++i) n->slow[i].flows = n->flow[i].state == 1;
    slow_rates(n->shared, n->places, n->slow, n->flows, n->maxmin);
    for (int i = 0; i < n->flows; ++i) n->flow[i].rate = (double)n->slow[i].rate;
}

/* What happens next in the slow simulation, at its time. */
static void slow_run(network *n)
{
    double now = 0;
    int changed = 0;
    for (;;) {
        double next = INFINITY;
        compute_rates(n);
        for (int i = 0; i < n->flows; ++i) {
            const flow *f = &n->flow[i];
            if (f->state == 0) next = fmin(next, f->begin + f->latency);
            if (f->state == 1) next = fmin(next, now + f->left / f->rate);
        }
        if (changed < n->changes) next = fmin(next, n->change[changed].time);
        if (!(next < INFINITY)) return;
        for (int i = 0; i < n->flows; ++i) {
            flow *f = &n->flow[i];
            if (f->state == 1) f->left -= f->rate * (next - now);
            if (f->state == 1 && f->left <= 1e-9 * f->bytes) f->state = 2, f->end = next;
        }
        now = next;
        for (int i = 0; i < n->flows; ++i)
            if (n->flow[i].state == 0 && n->flow[i].begin + n->flow[i].latency <= now) n->flow[i].state = 1;
        for (; changed < n->changes && n->change[changed].time <= now; ++changed) {
            const int l = n->change[changed].link;
            const double bandwidth = n->change[changed].bandwidth;
            if (bandwidth > 0) {
                n->shared[3 * l].capacity = n->shared[3 * l + 1].capacity = bandwidth;
                n->shared[3 * l + 2].capacity = n->duplex[l] * bandwidth;
                continue;
            }
            for (int i = 0; i < n->flows && bandwidth >= 0; ++i)
                for (int k = 0; n->flow[i].state < 2 && n->flow[i].begin <= now && k < n->flow[i].count; ++k)
                    if (n->flow[i].links[k] == l) n->flow[i].state = 3, n->flow[i].end = now;
        }
    }
}

static network *playing;
static ended played[MOST_FLOWS];

static void start_flow(simkit_world *w, void *user)
{
    const int i = (int)((flow *)user - playing->flow);
    const flow *f = &playing->flow[i];
    const simkit_transfer_desc desc = { .from = (simkit_node)f->from + 1,
                                        .to = (simkit_node)f->to + 1,
                                        .bytes = f->bytes,
                                        .weight = f->weight,
                                        .rate_limit = f->rate,
                                        .done = note_done,
                                        .lost = note_lost,
                                        .user = &played[i] };
    const simkit_result result = simkit_transfer_start(w, &desc, NULL);
    if (result == SIMKIT_LINK_FAILED)
        note_lost(w, &played[i]);
    else
        succeeds(result);
}

static void change_link(simkit_world *w, void *user)
{
    const int i = *(int *)user;
    const simkit_link link = (simkit_link)playing->change[i].link + 1;
    const double bandwidth = playing->change[i].bandwidth;
    if (bandwidth > 0 && playing->returns) succeeds(simkit_link_repair(w, link));
    if (bandwidth > 0)
        succeeds(simkit_link_change(w, link, bandwidth, playing->latency[link - 1]));
    else if (bandwidth < 0)
        succeeds(simkit_link_repair(w, link));
    else
        whatever(simkit_link_fail(w, link));
}

static int below(uint64_t *state, int count)
{
    return (int)(random_next(state) % (uint64_t)count);
}

static void random_network(network *n, uint64_t *state)
{
    memset(n, 0, sizeof *n);
    n->maxmin = below(state, 2);
    n->nodes = 2 + below(state, MOST_NODES - 1);
    n->links = 1 + below(state, MOST_LINKS);
    n->flows = 1 + below(state, MOST_FLOWS);
    n->changes = below(state, 3) ? 0 : 1 + below(state, MOST_CHANGES);
    for (int l = 0; l < n->links; ++l) {
        n->bandwidth[l] = below(state, 3) ? floor(random_between(state, 1, 9)) * 10 : random_between(state, 5, 500);
        n->duplex[l] = below(state, 2) ? 2 : random_between(state, 1, 2);
        n->latency[l] = below(state, 2) ? 0 : random_between(state, 0, 0.1);
        n->shared[3 * l].capacity = n->shared[3 * l + 1].capacity = n->bandwidth[l];
        n->shared[3 * l + 2].capacity = n->duplex[l] * n->bandwidth[l];
    }
    for (int i = 0; i < n->nodes; ++i) {
        n->up[i] = below(state, 2) ? 0 : random_between(state, 10, 100);
        n->shared[3 * n->links + i].capacity = n->up[i] > 0 ? n->up[i] : INFINITY;
    }
    n->places = 3 * n->links + n->nodes;
    for (int i = 0; i < n->nodes * n->nodes; ++i)
        n->own[i / n->nodes][i % n->nodes] = below(state, 5) ? 0 : random_between(state, 5, 200);
    for (int i = 0; i < n->flows; ++i) {
        flow *f = &n->flow[i];
        f->from = below(state, n->nodes);
        f->to = (f->from + 1 + below(state, n->nodes - 1)) % n->nodes;
        f->bytes = random_between(state, 1, 1000);
        f->weight = below(state, 3) ? 1 : random_between(state, 0.1, 10);
        f->begin = below(state, 2) ? 0 : random_between(state, 0, 20);
        f->rate = below(state, 4) ? 0 : random_between(state, 1, 50); /* its limit, for now */
    }
    for (int i = 0; i < n->changes; ++i) {
        n->change[i].time = random_between(state, 0, 30);
        n->change[i].link = below(state, n->links);
        n->change[i].bandwidth = below(state, 3) ? random_between(state, 1, 200) : below(state, 2) ? 0 : -1;
        for (int k = i; k > 0 && n->change[k].time < n->change[k - 1].time; --k) {
            const double time = n->change[k].time;
            n->change[k].time = n->change[k - 1].time;
            n->change[k - 1].time = time;
        }
    }
}

/* Gives each ordered pair a route, the same for all its flows, and plays the network in a world. */
static void play(network *n, uint64_t *state)
{
    static int numbers[MOST_CHANGES] = { 0, 1, 2, 3, 4, 5 };
    simkit_hop hops[MOST_LINKS];
    reopen_world(&(simkit_world_desc){ .sharing = n->maxmin ? SIMKIT_SHARING_MAXMIN : SIMKIT_SHARING_EQUAL });
    for (int l = 0; l < n->links; ++l) add_link(n->bandwidth[l], n->latency[l], n->duplex[l]);
    for (int i = 0; i < n->nodes; ++i) add_node(&(simkit_node_desc){ .up_bandwidth = n->up[i] });
    for (int a = 0; a < n->nodes; ++a)
        for (int b = 0; b < n->nodes; ++b) {
            const int count = a == b ? 0 : 1 + below(state, n->links), first = below(state, n->links);
            for (int k = 0; k < count; ++k)
                hops[k] = (simkit_hop){ (simkit_link)((first + k) % n->links) + 1, below(state, 2) != 0 };
            const bool direct = a != b && below(state, 4) == 0, has_own = a != b && n->own[a][b] > 0;
            if (a == b) continue;
            if (direct)
                succeeds(simkit_route_direct(world, (simkit_node)a + 1, (simkit_node)b + 1, hops, (size_t)count, false));
            else
                succeeds(simkit_route_set(world, (simkit_node)a + 1, (simkit_node)b + 1, hops, (size_t)count, false));
            double way = direct || !(n->up[a] > 0) ? INFINITY : n->up[a];
            for (int k = 0; k < count; ++k) way = fmin(way, n->bandwidth[hops[k].link - 1]);
            const netmodel_link own = { 0, 1 / fmin(n->own[a][b], way) }, faster = { 0, 1 / (2 * way) };
            if (has_own) succeeds(simkit_pair_set(world, (simkit_node)a + 1, (simkit_node)b + 1, &own));
            assert_int_equal(simkit_pair_set(world, (simkit_node)a + 1, (simkit_node)b + 1, &faster), SIMKIT_BAD_ARGUMENT);
            const int shared = n->places;
            if (has_own) n->shared[n->places++].capacity = 1 / own.byte_time;
            for (int i = 0; i < n->flows; ++i) {
                flow *f = &n->flow[i];
                slow_flow *slow = &n->slow[i];
                if (f->from != a || f->to != b) continue;
                f->count = count;
                slow->weight = f->weight;
                if (!direct) slow->shared[slow->count++] = 3 * n->links + a;
                if (has_own) slow->shared[slow->count++] = shared;
                for (int k = 0; k < count; ++k) {
                    f->links[k] = (int)hops[k].link - 1;
                    f->latency += has_own ? 0 : n->latency[f->links[k]];
                    slow->shared[slow->count++] = 3 * f->links[k] + hops[k].back;
                    if (n->duplex[f->links[k]] < 2) slow->shared[slow->count++] = 3 * f->links[k] + 2;
                }
                f->left = f->bytes;
                if (!(f->rate > 0)) continue;
                n->shared[n->places].capacity = f->rate;
                slow->shared[slow->count++] = n->places++;
            }
        }
    playing = n;
    memset(played, 0, sizeof played);
    for (int i = 0; i < n->flows; ++i)
        succeeds(simkit_step_at(world, n->flow[i].begin, 0, start_flow, &n->flow[i], NULL));
    for (int i = 0; i < n->changes && !n->tables; ++i)
        succeeds(simkit_step_at(world, n->change[i].time, 0, change_link, &numbers[i], NULL));
    for (int l = 0; l < n->links && n->tables; ++l) {
        simkit_link_point points[MOST_CHANGES];
        size_t count = 0;
        for (int i = 0; i < n->changes; ++i)
            if (n->change[i].link == l)
                points[count++] = (simkit_link_point){ n->change[i].time, n->change[i].bandwidth };
        succeeds(simkit_link_follow(world, (simkit_link)l + 1, points, count, 0));
    }
    succeeds(simkit_world_run(world));
}

/* A flow that begins while a link of its route has failed is lost at once: the slow simulation is told so. */
static void refuse_late(network *n)
{
    for (int i = 0; i < n->flows; ++i)
        for (int c = 0; c < n->changes; ++c) {
            if (n->change[c].time > n->flow[i].begin || n->change[c].bandwidth > 0) continue;
            for (int k = 0; k < n->flow[i].count; ++k)
                if (n->flow[i].links[k] == n->change[c].link) n->flow[i].state = n->change[c].bandwidth < 0 ? 0 : 3;
        }
}

static void random_networks(void **state)
{
#ifdef TESTS_SLOW
    const int rounds = 2000;
#else
    const int rounds = 10000;
#endif
    uint64_t seed = 20261126;
    (void)state;
    for (int round = 0; round < rounds; ++round) {
        static network n;
        random_network(&n, &seed);
        int failures = 0;
        for (int c = 0; c < n.changes; ++c) failures += n.change[c].bandwidth <= 0;
        for (int c = 0; c < n.changes && failures > 1; ++c) /* at most one link fails or returns */
            if (n.change[c].bandwidth <= 0) n.change[c].bandwidth = 10, --failures;
        play(&n, &seed);
        refuse_late(&n);
        for (int i = 0; i < n.flows; ++i)
            if (n.flow[i].state == 3) n.flow[i].end = n.flow[i].begin;
        slow_run(&n);
        for (int i = 0; i < n.flows; ++i) {
            assert_int_equal(played[i].lost, n.flow[i].state == 3);
            assert_close(played[i].time, n.flow[i].end, 1e-9);
        }
    }
}

/* The same bits, whether calls or rows of tables change links. */
static void tables_are_changes(void **state)
{
    static ended before[MOST_FLOWS];
    uint64_t seed = 2211;
    int lost = 0, late = 0;
    (void)state;
    for (int round = 0; round < 1000; ++round) {
        static network n, same;
        do random_network(&n, &seed);
        while (n.changes == 0);
        for (int i = 0; i < n.changes; ++i)
            if (n.change[i].bandwidth < 0) n.change[i].bandwidth = 50;
        n.returns = 1;
        same = n;
        same.tables = 1;
        uint64_t again = seed;
        play(&n, &seed);
        memcpy(before, played, sizeof before);
        play(&same, &again);
        assert_memory_equal(played, before, sizeof before);
        for (int i = 0; i < n.flows; ++i) {
            lost += played[i].lost;
            late += played[i].time > n.change[0].time;
        }
    }
    assert_true(lost > 100 && late > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(tables_are_changes),
        WORLD_TEST(random_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
