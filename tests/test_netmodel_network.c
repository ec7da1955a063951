/* Room network of netmodel.h, and stars with caps and duplex factors: closed forms, every refusal, and random networks
 * and stars against a slow, obvious water-filling loop in long double. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "close.h"

enum { LINKS = 12, FLOWS = 20, HOPS = FLOWS * LINKS, CAPACITIES = 3 * LINKS + FLOWS };

/* A network in arrays that a test fills; with `star` its links are the nodes of a star. */
typedef struct network {
    netmodel_flows flows;
    double bandwidth[LINKS], down[LINKS], duplex[LINKS], weight[FLOWS], cap[FLOWS];
    size_t first[FLOWS + 1], channel[HOPS], from[FLOWS], to[FLOWS];
} network;

/* Working space exactly as large as netmodel.h says, so that a sanitizer sees who goes beyond. */
static netmodel_result maxmin(const netmodel_flows *x, bool star, double *rate)
{
    const size_t links = star ? x->nodes : x->links, hops = star ? 2 * x->flows : x->flows ? x->first[x->flows] : 0;
    netmodel_maxmin_link *link =
        malloc((2 * links + (x->duplex ? links : 0) + (x->cap ? x->flows : 0)) * sizeof *link + 1);
    size_t *next = malloc(hops * (x->duplex ? 2 : 1) * sizeof *next + 1);
    netmodel_result result =
        star ? netmodel_maxmin_rates(x, link, next, rate) : netmodel_network_maxmin(x, link, next, rate);
    free(link);
    free(next);
    return result;
}

static netmodel_result equal(const netmodel_flows *x, bool star, double *rate)
{
    const size_t links = star ? x->nodes : x->links;
    size_t *out = malloc(links * sizeof *out + 1), *in = malloc(links * sizeof *in + 1);
    double *sum = malloc(3 * links * sizeof *sum + 1);
    netmodel_result result = star ? netmodel_star_rates(x, out, in, rate) : netmodel_network_equal(x, sum, rate);
    free(out);
    free(in);
    free(sum);
    return result;
}

/*=============================================================================
 * Closed forms
 *===========================================================================*/
/* One long transfer over all links, one short one over each: the long one gets half of the thinnest, and who crosses
 * another link gets the rest there. */
static void a_parking_lot(void **state)
{
    const double bandwidth[] = { 10, 4, 6 };
    const size_t first[] = { 0, 3, 4, 5, 6 }, channel[] = { 0, 2, 4, 0, 2, 4 };
    const netmodel_flows x = { .flows = 4, .links = 3, .bandwidth = bandwidth, .first = first, .channel = channel };
    double rate[4];
    (void)state;

    succeeds(maxmin(&x, false, rate));
    assert_equal(rate[0], 2);
    assert_equal(rate[1], 8);
    assert_equal(rate[2], 2);
    assert_equal(rate[3], 4);
    succeeds(equal(&x, false, rate));
    assert_equal(rate[0], 2);
    assert_equal(rate[1], 5);
    assert_equal(rate[2], 2);
    assert_equal(rate[3], 3);
}

/* 1 forth and 2 back over one link: with 1 a third each, with 1.4 of 10 GbE a third of 14, with 2 they do not disturb
 * each other. And so for a node of a star, whose partners have fast links. */
static void both_directions_of_a_link(void **state)
{
    const double bandwidth[] = { 10 }, ends[] = { 10, 1000, 1000, 1000 };
    const size_t first[] = { 0, 1, 2, 3 }, channel[] = { 0, 1, 1 }, from[] = { 0, 2, 3 }, to[] = { 1, 0, 0 };
    double duplex[] = { 1, 0, 0, 0 }, rate[3];
    const netmodel_flows x = {
        .flows = 3, .links = 1, .bandwidth = bandwidth, .duplex = duplex, .first = first, .channel = channel
    };
    const netmodel_flows star = {
        .nodes = 4, .up = ends, .down = ends, .flows = 3, .from = from, .to = to, .duplex = duplex
    };
    (void)state;

    for (int i = 0; i < 2; ++i) {
        const netmodel_flows *own = i ? &star : &x;
        duplex[0] = 1;
        succeeds(maxmin(own, i, rate));
        for (int k = 0; k < 3; ++k) assert_equal(rate[k], 10.0 / 3);
        succeeds(equal(own, i, rate));
        for (int k = 0; k < 3; ++k) assert_equal(rate[k], 10.0 / 3);
        duplex[0] = 1.4;
        succeeds(maxmin(own, i, rate));
        for (int k = 0; k < 3; ++k) assert_close(rate[k], 14.0 / 3, 1e-15);
        succeeds(equal(own, i, rate));
        for (int k = 0; k < 3; ++k) assert_close(rate[k], 14.0 / 3, 1e-15);
        duplex[0] = 1.8; /* 18: the two get all of their side, the other what is left of both, or a third */
        succeeds(maxmin(own, i, rate));
        assert_close(rate[0], 8, 1e-15);
        assert_equal(rate[1], 5);
        succeeds(equal(own, i, rate));
        assert_close(rate[0], 6, 1e-15);
        assert_equal(rate[1], 5);
        for (int neither = 0; neither <= 2; neither += 2) {
            duplex[0] = neither;
            succeeds(maxmin(own, i, rate));
            assert_equal(rate[0], 10);
            assert_equal(rate[2], 5);
            succeeds(equal(own, i, rate));
            assert_equal(rate[0], 10);
            assert_equal(rate[2], 5);
        }
    }
    assert_equal(netmodel_duplex(10, 10, 1.4), 14);
    assert_equal(netmodel_duplex(10, 4, 1), 10);
    assert_equal(netmodel_duplex(4, 10, 1.5), 12);
    assert_equal(netmodel_duplex(10, 4, 2), 14);
    assert_equal(netmodel_duplex(10, 4, 0), 14);
    assert_equal(netmodel_duplex(0, 0, 1), 0);
    assert_equal(netmodel_duplex(INFINITY, 0, 1), INFINITY);
    assert_equal(netmodel_duplex(INFINITY, INFINITY, 1), INFINITY);
    assert_nan(netmodel_duplex(-1, 1, 1));
    assert_nan(netmodel_duplex(1, NAN, 1));
    assert_nan(netmodel_duplex(1, 1, 0.99));
    assert_nan(netmodel_duplex(1, 1, 2.01));
    assert_nan(netmodel_duplex(1, 1, -1));
    assert_nan(netmodel_duplex(1, 1, NAN));
}

/* Three over one link of 12, the first capped at 1, with weights 1, 1, 2. */
static void caps_and_weights(void **state)
{
    const double bandwidth[] = { 12 }, ends[] = { 12, 12, 12, 12 }, cap[] = { 1, INFINITY, 100 },
                 weight[] = { 1, 1, 2 };
    const size_t first[] = { 0, 1, 2, 3 }, channel[] = { 1, 1, 1 }, from[] = { 0, 0, 0 }, to[] = { 1, 2, 3 };
    netmodel_flows x = {
        .flows = 3, .links = 1, .bandwidth = bandwidth, .cap = cap, .first = first, .channel = channel
    };
    netmodel_flows star = { .nodes = 4, .up = ends, .down = ends, .flows = 3, .from = from, .to = to, .cap = cap };
    double rate[3];
    (void)state;

    for (int i = 0; i < 2; ++i) {
        netmodel_flows *own = i ? &star : &x;
        succeeds(maxmin(own, i, rate));
        assert_equal(rate[0], 1);
        assert_equal(rate[1], 5.5);
        assert_equal(rate[2], 5.5);
        succeeds(equal(own, i, rate));
        assert_equal(rate[0], 1);
        assert_equal(rate[1], 4);
        assert_equal(rate[2], 4);
        own->weight = weight;
        succeeds(maxmin(own, i, rate));
        assert_equal(rate[0], 1);
        assert_close(rate[1], 11.0 / 3, 1e-15);
        assert_close(rate[2], 22.0 / 3, 1e-15);
        succeeds(equal(own, i, rate)); /* equal shares of a star ignore weights */
        assert_equal(rate[0], 1);
        assert_equal(rate[1], i ? 4 : 3);
        assert_equal(rate[2], i ? 4 : 6);
    }
}

static void links_without_end_and_without_anything(void **state)
{
    const double bandwidth[] = { INFINITY, 0, 5 }, weight[] = { 1e100, 1e-100, 1, 3, 1, 2 }, duplex[] = { 1, 1, 2 };
    double cap[] = { INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, 7 };
    const size_t first[] = { 3, 3, 4, 6, 7, 9, 9 }, channel[] = { 99, 99, 99, 0, 0, 3, 4, 1, 5 };
    netmodel_flows x = { .flows = 6, .links = 3, .bandwidth = bandwidth, .first = first, .channel = channel };
    double rate[6];
    (void)state;

    for (int round = 0; round < 16; ++round) {
        x.weight = round & 1 ? weight : NULL;
        x.cap = round & 2 ? cap : NULL;
        x.duplex = round & 4 ? duplex : NULL;
        succeeds((round & 8 ? maxmin : equal)(&x, false, rate));
        assert_equal(rate[0], INFINITY); /* no link */
        assert_equal(rate[1], INFINITY);
        assert_equal(rate[2], 0);
        assert_equal(rate[3], 5);
        assert_equal(rate[4], 5);
        assert_equal(rate[5], round & 2 ? 7 : INFINITY);
    }
    cap[5] = cap[1] = 1e308; /* at a level beyond all numbers: the weight is 1e-100 */
    x.cap = cap, x.weight = weight;
    succeeds(maxmin(&x, false, rate));
    assert_equal(rate[1], 1e308);
    assert_equal(rate[5], 1e308);
    cap[1] = 1e-300, cap[0] = 1e-300;
    succeeds(maxmin(&x, false, rate));
    assert_equal(rate[0], 1e-300);
    assert_equal(rate[1], 1e-300);
    x.flows = 0;
    succeeds(maxmin(&x, false, rate));
    succeeds(equal(&x, false, rate));
    succeeds(netmodel_network_maxmin(&(const netmodel_flows){ .flows = 0 }, NULL, NULL, NULL));
    succeeds(netmodel_network_equal(&(const netmodel_flows){ .flows = 0 }, NULL, NULL));
    /* transfers of a process with itself need neither links nor scratch */
    succeeds(netmodel_network_maxmin(&(const netmodel_flows){ .flows = 2, .first = (const size_t[]){ 0, 0, 0 } }, NULL,
                                     NULL, rate));
    assert_equal(rate[1], INFINITY);
    succeeds(netmodel_network_equal(&(const netmodel_flows){ .flows = 2, .first = (const size_t[]){ 0, 0, 0 } }, NULL,
                                    rate));
    assert_equal(rate[1], INFINITY);
}

/* 1 - 0.3 - 0.7 leaves nothing in double, but nobody falls below the level that is reached. */
static void rounding_leaves_nobody_without(void **state)
{
    const double bandwidth[] = { 1, 0.3, 0.7 }, weight[] = { 3, 7, 1e-30 };
    const size_t first[] = { 0, 2, 4, 5 }, channel[] = { 0, 2, 0, 4, 0 };
    const netmodel_flows x = {
        .flows = 3, .weight = weight, .links = 3, .bandwidth = bandwidth, .first = first, .channel = channel
    };
    double rate[3];
    (void)state;

    succeeds(maxmin(&x, false, rate));
    assert_close(rate[0], 0.3, 1e-15);
    assert_close(rate[1], 0.7, 1e-15);
    assert_close(rate[2], 1e-31, 1e-15);
}

/* What SimGrid's test cm02-tcpgamma prints: 1e10 B over 1e10 B/s, with a window of 4 MiB and without. */
static void the_window_of_tcp(void **state)
{
    static const double latency[] = { 0, 1e-5, 1e-3, 0.1 }, seconds[] = { 1.000000, 1.000010, 4.769372, 476.937158 };
    const double bandwidth[] = { 1e10 };
    const size_t first[] = { 0, 1 }, channel[] = { 0 };
    (void)state;

    for (int i = 0; i < 4; ++i) {
        const double cap[] = { netmodel_window_rate(4194304, latency[i]) };
        const netmodel_flows x = {
            .flows = 1, .cap = cap, .links = 1, .bandwidth = bandwidth, .first = first, .channel = channel
        };
        double rate;
        succeeds(equal(&x, false, &rate));
        assert_true(fabs(1e10 / rate + latency[i] - seconds[i]) < 0.6e-6);
        succeeds(maxmin(&x, false, &rate));
        assert_true(fabs(1e10 / rate + latency[i] - seconds[i]) < 0.6e-6);
    }
    assert_equal(netmodel_window_rate(INFINITY, 1e-3), INFINITY);
    assert_close(1e10 / fmin(1e10, netmodel_window_rate(INFINITY, 1e-3)) + 1e-3, 1.001, 1e-15);
    assert_equal(netmodel_window_rate(65536, 0), INFINITY);
    assert_equal(netmodel_window_rate(65536, 0.5), 65536);
    assert_nan(netmodel_window_rate(0, 1));
    assert_nan(netmodel_window_rate(-1, 1));
    assert_nan(netmodel_window_rate(NAN, 1));
    assert_nan(netmodel_window_rate(1, -1));
    assert_nan(netmodel_window_rate(1, INFINITY));
    assert_nan(netmodel_window_rate(1, NAN));
}

/*=============================================================================
 * Random networks
 *===========================================================================*/
/* Who crosses what: all that the definition of the rates needs. */
typedef struct problem {
    size_t count; /* of capacities, those of the flows' caps included */
    long double capacity[CAPACITIES];
    size_t crowd[CAPACITIES], crosses[CAPACITIES][FLOWS]; /* how many flows cross it, and which */
} problem;

static size_t problem_add(problem *p, long double capacity)
{
    p->crowd[p->count] = 0;
    p->capacity[p->count] = capacity;
    return p->count++;
}

static void problem_cross(problem *p, size_t k, size_t flow)
{
    p->crosses[k][p->crowd[k]++] = flow;
}

static void problem_of(const netmodel_flows *x, bool star, problem *p)
{
    const size_t links = star ? x->nodes : x->links;
    p->count = 0;
    for (size_t i = 0; i < links; ++i) {
        const long double forth = star ? x->up[i] : x->bandwidth[i], back = star ? x->down[i] : forth;
        const long double factor = x->duplex && x->duplex[i] > 0 ? x->duplex[i] : 2;
        const long double less = factor > 1 ? (factor - 1) * fminl(forth, back) : 0;
        problem_add(p, forth);
        problem_add(p, back);
        problem_add(p, factor < 2 ? fmaxl(forth, back) + less : INFINITY);
    }
    for (size_t i = 0; i < x->flows; ++i) {
        for (size_t at = star ? 0 : x->first[i]; at < (star ? 2 : x->first[i + 1]); ++at) {
            const size_t channel = star ? 2 * (at ? x->to[i] : x->from[i]) + at : x->channel[at];
            problem_cross(p, 3 * (channel / 2) + channel % 2, i);
            problem_cross(p, 3 * (channel / 2) + 2, i);
        }
        if (x->cap) problem_cross(p, problem_add(p, x->cap[i]), i);
    }
}

static long double weight_of(const netmodel_flows *x, size_t flow)
{
    return x->weight ? x->weight[flow] : 1;
}

/* Reads the definition aloud: the capacity that is full first decides, everything counted again from scratch every
 * time. */
static void slow_maxmin(const netmodel_flows *x, const problem *p, long double *rate)
{
    bool stays[FLOWS] = { false };

    for (;;) {
        long double least = INFINITY;
        size_t full = CAPACITIES;
        for (size_t k = 0; k < p->count; ++k) {
            long double left = p->capacity[k], sum = 0;
            for (size_t n = 0; n < p->crowd[k]; ++n) {
                const size_t i = p->crosses[k][n];
                if (stays[i])
                    left -= rate[i];
                else
                    sum += weight_of(x, i);
            }
            if (sum > 0 && left / sum < least) least = left / sum, full = k;
        }
        if (full == CAPACITIES) break;
        for (size_t n = 0; n < p->crowd[full]; ++n) {
            const size_t i = p->crosses[full][n];
            if (!stays[i]) rate[i] = weight_of(x, i) * least;
            stays[i] = true;
        }
    }
    for (size_t i = 0; i < x->flows; ++i)
        if (!stays[i]) rate[i] = INFINITY;
}

static void slow_equal(const netmodel_flows *x, bool star, const problem *p, long double *rate)
{
    for (size_t i = 0; i < x->flows; ++i) rate[i] = INFINITY;
    for (size_t k = 0; k < p->count; ++k) {
        long double sum = 0;
        for (size_t n = 0; n < p->crowd[k]; ++n) sum += star ? 1 : weight_of(x, p->crosses[k][n]);
        for (size_t n = 0; n < p->crowd[k]; ++n) {
            const size_t i = p->crosses[k][n];
            rate[i] = fminl(rate[i], (star ? 1 : weight_of(x, i)) * p->capacity[k] / sum);
        }
    }
}

/* A bandwidth of one of several kinds: all alike, few different ones, zero and infinite ones, any. */
static double random_bandwidth(uint64_t *seed, int kind)
{
    if (kind == 0) return 1e8;
    if (kind == 1) return (double)(1 + random_next(seed) % 4);
    if (kind == 2 && random_next(seed) % 4 == 0) return random_next(seed) % 2 ? 0 : INFINITY;
    return random_between(seed, 1, 10);
}

static void random_network(network *n, uint64_t *seed, bool star, int round)
{
    const size_t links = star ? 2 + random_next(seed) % (LINKS - 1) : 1 + random_next(seed) % LINKS;
    const size_t flows = random_next(seed) % (FLOWS + 1), longest = random_next(seed) % (links < 6 ? links + 1 : 7);
    const int kind = (int)(random_next(seed) % 4), weights = (int)(random_next(seed) % 3);

    memset(n, 0, sizeof *n);
    for (size_t i = 0; i < links; ++i) {
        n->bandwidth[i] = random_bandwidth(seed, kind);
        n->down[i] = random_next(seed) % 3 ? n->bandwidth[i] : random_bandwidth(seed, kind);
        n->duplex[i] = random_next(seed) % 3 ? random_between(seed, 1, 2) : (double)(random_next(seed) % 3);
    }
    for (size_t i = 0; i < flows; ++i) {
        size_t order[LINKS];
        for (size_t k = 0; k < links; ++k) order[k] = k;
        const size_t hops = longest ? random_next(seed) % (longest + 1) : 0;
        n->first[i + 1] = n->first[i];
        for (size_t k = 0; k < hops; ++k) {
            const size_t other = k + random_next(seed) % (links - k), link = order[other];
            order[other] = order[k];
            n->channel[n->first[i + 1]++] = 2 * link + random_next(seed) % 2;
        }
        n->from[i] = random_next(seed) % links;
        if (star) n->to[i] = (n->from[i] + 1 + random_next(seed) % (links - 1)) % links;
        n->weight[i] = weights ? random_between(seed, 0.1, 10) : (double)(1 + random_next(seed) % 3);
        n->cap[i] = random_next(seed) % 3 == 0 ? INFINITY : random_bandwidth(seed, kind == 2 ? 3 : kind) / 4;
        if (kind > 0 && random_next(seed) % 4 == 0) n->cap[i] = 0.5;
    }
    n->flows.flows = flows;
    n->flows.weight = round & 1 ? n->weight : NULL;
    n->flows.cap = round & 2 ? n->cap : NULL;
    n->flows.duplex = round & 4 ? n->duplex : NULL;
    if (star) {
        n->flows.nodes = links, n->flows.up = n->bandwidth, n->flows.down = n->down;
        n->flows.from = n->from, n->flows.to = n->to;
    } else {
        n->flows.links = links, n->flows.bandwidth = n->bandwidth;
        n->flows.first = n->first, n->flows.channel = n->channel;
    }
}

static void check_capacities(const netmodel_flows *x, const problem *p, const double *rate)
{
    for (size_t k = 0; k < p->count; ++k) {
        long double sum = 0;
        for (size_t n = 0; n < p->crowd[k]; ++n) sum += rate[p->crosses[k][n]];
        assert_true(sum <= p->capacity[k] * (1 + 1e-12L));
    }
    for (size_t i = 0; x->cap && i < x->flows; ++i) assert_true(rate[i] <= x->cap[i]);
}

/* What max-min fair means: a capacity on the way of a transfer is full, and nobody there has more for its weight. */
static void check_fair(const netmodel_flows *x, const problem *p, const double *rate)
{
    bool content[FLOWS];
    for (size_t i = 0; i < x->flows; ++i) content[i] = isinf(rate[i]);
    for (size_t k = 0; k < p->count; ++k) {
        long double sum = 0, highest = 0;
        for (size_t n = 0; n < p->crowd[k]; ++n) {
            const size_t i = p->crosses[k][n];
            sum += rate[i];
            highest = fmaxl(highest, rate[i] / weight_of(x, i));
        }
        if (!(sum >= p->capacity[k] * (1 - 1e-12L))) continue;
        for (size_t n = 0; n < p->crowd[k]; ++n) {
            const size_t i = p->crosses[k][n];
            if (rate[i] / weight_of(x, i) >= highest * (1 - 1e-12L)) content[i] = true;
        }
    }
    for (size_t i = 0; i < x->flows; ++i) assert_true(content[i]);
}

/* Rates within 1e-12 of the definition, both policies, and no capacity exceeded. */
static void check_random(bool star, int rounds, uint64_t seed)
{
    static network n;
    static problem p;
    for (int round = 0; round < rounds; ++round) {
        double rate[FLOWS];
        long double expected[FLOWS];
        random_network(&n, &seed, star, round);
        problem_of(&n.flows, star, &p);

        succeeds(maxmin(&n.flows, star, rate));
        slow_maxmin(&n.flows, &p, expected);
        for (size_t i = 0; i < n.flows.flows; ++i) assert_close(rate[i], (double)expected[i], 1e-12);
        check_capacities(&n.flows, &p, rate);
        if (round % 8 == 0) check_fair(&n.flows, &p, rate);

        succeeds(equal(&n.flows, star, rate));
        slow_equal(&n.flows, star, &p, expected);
        for (size_t i = 0; i < n.flows.flows; ++i) assert_close(rate[i], (double)expected[i], 1e-12);
        check_capacities(&n.flows, &p, rate);
    }
}

static void random_networks_equal_water_filling(void **state)
{
    (void)state;
    check_random(false, 100000, 1);
}

static void random_stars_equal_water_filling(void **state)
{
    (void)state;
    check_random(true, 20000, 2);
}

/* Weights from 1e-100 to 1e100: what a heavy transfer leaves to light ones may be its rounding error. But no capacity is
 * exceeded, and everybody has a reason for having no more. */
static void weights_of_any_size(void **state)
{
    static network n;
    static problem p;
    uint64_t seed = 3;
    (void)state;

    for (int round = 0; round < CASES(20000); ++round) {
        double rate[FLOWS];
        long double expected[FLOWS];
        random_network(&n, &seed, false, round | 1);
        const int widest = 1 + (int)(random_next(&seed) % 330);
        for (size_t i = 0; i < n.flows.flows; ++i)
            n.weight[i] =
                ldexp(random_between(&seed, 1, 2), (int)(random_next(&seed) % (unsigned)(2 * widest)) - widest);
        problem_of(&n.flows, false, &p);

        succeeds(maxmin(&n.flows, false, rate));
        for (size_t i = 0; i < n.flows.flows; ++i) assert_true(rate[i] >= 0);
        check_capacities(&n.flows, &p, rate);
        check_fair(&n.flows, &p, rate);

        succeeds(equal(&n.flows, false, rate));
        slow_equal(&n.flows, false, &p, expected);
        for (size_t i = 0; i < n.flows.flows; ++i) assert_close(rate[i], (double)expected[i], 1e-12);
        check_capacities(&n.flows, &p, rate);
    }
}

/* A star whose nodes have one bandwidth is a network of as many links: the same bits, without weights. */
static void a_star_is_a_network(void **state)
{
    static network n;
    uint64_t seed = 4;
    (void)state;

    for (int round = 0; round < CASES(20000); ++round) {
        double star[FLOWS], rate[FLOWS];
        random_network(&n, &seed, true, round & ~1);
        n.flows.down = n.flows.up;
        for (size_t i = 0; i < n.flows.flows; ++i) {
            n.first[i + 1] = 2 * i + 2;
            n.channel[2 * i] = 2 * n.from[i];
            n.channel[2 * i + 1] = 2 * n.to[i] + 1;
        }
        n.flows.links = n.flows.nodes, n.flows.bandwidth = n.bandwidth, n.flows.first = n.first,
        n.flows.channel = n.channel;
        succeeds(equal(&n.flows, true, star));
        succeeds(equal(&n.flows, false, rate));
        assert_memory_equal(star, rate, n.flows.flows * sizeof *rate);
        succeeds(maxmin(&n.flows, true, star));
        succeeds(maxmin(&n.flows, false, rate));
        assert_memory_equal(star, rate, n.flows.flows * sizeof *rate);
        n.flows.weight = n.weight;
        succeeds(maxmin(&n.flows, true, star));
        succeeds(maxmin(&n.flows, false, rate));
        for (size_t i = 0; i < n.flows.flows; ++i) assert_close(rate[i], star[i], 1e-12);
    }
}

/*=============================================================================
 * Refusals
 *===========================================================================*/
static void refused(const netmodel_flows *x, bool star, netmodel_result expected)
{
    double rate[] = { 7, 7 };
    assert_int_equal(maxmin(x, star, rate), expected);
    assert_equal(rate[0], 0);
    assert_equal(rate[1], 0);
    rate[0] = rate[1] = 7;
    assert_int_equal(equal(x, star, rate), expected);
    assert_equal(rate[0], star ? 7 : 0);
    assert_equal(rate[1], star ? 7 : 0);
}

static void refused_networks_have_no_rates(void **state)
{
    static const double bad_bandwidth[] = { -1, -INFINITY, NAN }, bad_cap[] = { 0, -1, -INFINITY, NAN },
                        bad_duplex[] = { -1, 0.5, 2.5, INFINITY, -INFINITY, NAN },
                        bad_weight[] = { 0, -1, INFINITY, NAN, 1e-101, 1e101 };
    double bandwidth[] = { 1, 1 }, duplex[] = { 1, 2 }, weight[] = { 1, 1 }, cap[] = { 1, INFINITY }, rate[2];
    size_t first[] = { 0, 2, 3 }, channel[] = { 0, 2, 3 };
    const netmodel_flows good = { .flows = 2,
                                  .weight = weight,
                                  .cap = cap,
                                  .links = 2,
                                  .bandwidth = bandwidth,
                                  .duplex = duplex,
                                  .first = first,
                                  .channel = channel };
    netmodel_maxmin_link link[8];
    size_t next[6];
    double sum[6];
    (void)state;

    for (size_t i = 0; i < 3; ++i) {
        bandwidth[1] = bad_bandwidth[i];
        refused(&good, false, NETMODEL_BAD_BANDWIDTH);
    }
    bandwidth[1] = 1;
    for (size_t i = 0; i < 4; ++i) {
        cap[1] = bad_cap[i];
        refused(&good, false, NETMODEL_BAD_CAP);
    }
    cap[1] = 1;
    for (size_t i = 0; i < 6; ++i) {
        duplex[1] = bad_duplex[i];
        refused(&good, false, NETMODEL_BAD_DUPLEX);
    }
    duplex[1] = 1;
    for (size_t i = 0; i < 6; ++i) {
        weight[1] = bad_weight[i];
        refused(&good, false, NETMODEL_BAD_WEIGHT);
    }
    weight[1] = 1;
    channel[2] = 4;
    refused(&good, false, NETMODEL_UNKNOWN_LINK);
    channel[2] = (size_t)-1;
    refused(&good, false, NETMODEL_UNKNOWN_LINK);
    channel[2] = 3;
    channel[1] = 0;
    refused(&good, false, NETMODEL_LINK_TWICE);
    channel[1] = 1; /* forth and back */
    refused(&good, false, NETMODEL_LINK_TWICE);
    channel[1] = 2;
    first[0] = 3, first[1] = 2;
    refused(&good, false, NETMODEL_FIRST_DECREASES);
    first[0] = 0, first[1] = 2;

    netmodel_flows x = good;
    x.bandwidth = NULL;
    refused(&x, false, NETMODEL_MISSING);
    x = good;
    x.channel = NULL;
    refused(&x, false, NETMODEL_MISSING);
    assert_int_equal(netmodel_network_maxmin(NULL, link, next, rate), NETMODEL_MISSING);
    assert_int_equal(netmodel_network_maxmin(&good, NULL, next, rate), NETMODEL_MISSING);
    assert_int_equal(netmodel_network_maxmin(&good, link, NULL, rate), NETMODEL_MISSING);
    assert_int_equal(netmodel_network_maxmin(&good, link, next, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_network_equal(NULL, sum, rate), NETMODEL_MISSING);
    assert_int_equal(netmodel_network_equal(&good, NULL, rate), NETMODEL_MISSING);
    assert_int_equal(netmodel_network_equal(&good, sum, NULL), NETMODEL_MISSING);
    x = good;
    x.first = NULL;
    assert_int_equal(netmodel_network_maxmin(&x, link, next, rate), NETMODEL_MISSING);
    assert_int_equal(netmodel_network_equal(&x, sum, rate), NETMODEL_MISSING);
    assert_int_equal(netmodel_network_equal(&good, sum, rate), NETMODEL_OK);
    assert_equal(rate[1], 0.5);
    assert_int_equal(netmodel_network_maxmin(&good, link, next, rate), NETMODEL_OK);
    assert_equal(rate[1], 0.5);

    const double ends[] = { 1, 1 };
    const size_t from[] = { 0, 1 }, to[] = { 1, 0 };
    const netmodel_flows star = {
        .nodes = 2, .up = ends, .down = ends, .flows = 2, .from = from, .to = to, .cap = cap, .duplex = duplex
    };
    for (size_t i = 0; i < 4; ++i) {
        cap[1] = bad_cap[i];
        refused(&star, true, NETMODEL_BAD_CAP);
    }
    cap[1] = 1;
    for (size_t i = 0; i < 6; ++i) {
        duplex[1] = bad_duplex[i];
        refused(&star, true, NETMODEL_BAD_DUPLEX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parking_lot),
        cmocka_unit_test(both_directions_of_a_link),
        cmocka_unit_test(caps_and_weights),
        cmocka_unit_test(links_without_end_and_without_anything),
        cmocka_unit_test(rounding_leaves_nobody_without),
        cmocka_unit_test(the_window_of_tcp),
        cmocka_unit_test(random_networks_equal_water_filling),
        cmocka_unit_test(random_stars_equal_water_filling),
        cmocka_unit_test(weights_of_any_size),
        cmocka_unit_test(a_star_is_a_network),
        cmocka_unit_test(refused_networks_have_no_rates),
    };
    return cmocka_run_group_tests_name("network", tests, NULL, NULL);
}
