/* Room topology of netmodel.h: routes that hang together and go where they should, hops against a breadth-first search,
 * the rules of the routes, the bisection against all cuts, and every refusal. SimGrid's routes: tests/networks/routes. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "close.h"

static const netmodel_cable gigabit = { 1.25e8, 1e-6, 0 };

static netmodel_topology star_of(size_t hosts)
{
    netmodel_topology t = { .kind = NETMODEL_TOPOLOGY_STAR, .star = { hosts, gigabit, { 0 } } };
    return t;
}

/* Clusters of 3, 2, 4 ... hosts. */
static netmodel_topology clusters_of(size_t count)
{
    const size_t hosts[] = { 3, 2, 4, 1, 3, 5, 2, 1 };
    netmodel_topology t = { .kind = NETMODEL_TOPOLOGY_CLUSTERS, .clusters = { .count = count } };
    for (size_t i = 0; i < count; ++i) t.clusters.cluster[i].hosts = hosts[i];
    t.clusters.cluster[0].cable = t.clusters.cluster[0].up = gigabit;
    return t;
}

static void join(netmodel_topology *t, size_t from, size_t to)
{
    netmodel_joint *joint = &t->clusters.joint[t->clusters.joints++];
    joint->from = from;
    joint->to = to;
    joint->cable = gigabit;
}

/* Two clusters of 3 and 2 hosts side by side between others, two cables between 1 and 2, and a way of three to 4. */
static netmodel_topology joined(void)
{
    netmodel_topology t = clusters_of(5);
    join(&t, 0, 1);
    join(&t, 2, 1);
    join(&t, 1, 2);
    join(&t, 0, 3);
    join(&t, 3, 2);
    join(&t, 3, 4);
    return t;
}

#define MOST 5

/* Lists end with 0. */
static netmodel_topology tree_of(const size_t down[MOST], const size_t up[MOST], const size_t count[MOST])
{
    netmodel_topology t = { .kind = NETMODEL_TOPOLOGY_FAT_TREE };
    for (size_t i = 0; i < MOST && down[i] > 0; ++i) {
        t.tree.levels = i + 1;
        t.tree.down[i] = down[i];
        t.tree.up[i] = up[i];
        t.tree.count[i] = count[i];
    }
    t.tree.cable[0] = gigabit;
    return t;
}

static netmodel_topology grid_of(netmodel_topology_kind kind, const size_t size[MOST])
{
    netmodel_topology t = { .kind = kind };
    for (size_t j = 0; j < MOST && size[j] > 0; ++j) {
        t.grid.dimensions = j + 1;
        t.grid.size[j] = size[j];
    }
    t.grid.cable[0] = gigabit;
    return t;
}

static netmodel_topology dragonfly_of(size_t groups, size_t chassis, size_t blades, size_t nodes)
{
    netmodel_topology t = { .kind = NETMODEL_TOPOLOGY_DRAGONFLY };
    t.dragonfly.groups = groups;
    t.dragonfly.chassis = chassis;
    t.dragonfly.blades = blades;
    t.dragonfly.nodes = nodes;
    t.dragonfly.host_cable = gigabit;
    return t;
}

static const size_t trees[][3][MOST] = {
    { { 5 }, { 1 }, { 0 } },
    { { 1, 1 }, { 2, 1 }, { 0 } },
    { { 4, 4 }, { 1, 2 }, { 1, 2 } },
    { { 2, 3, 4 }, { 2, 2, 3 }, { 2, 1, 2 } },
    { { 3, 2, 1 }, { 1, 3, 2 }, { 3, 2, 3 } },
    { { 2, 2, 2, 2, 2 }, { 1, 2, 1, 2, 1 }, { 1, 1, 2, 1, 3 } },
};
static const size_t grids[][MOST] = {
    { 1 }, { 2 }, { 3 }, { 7 }, { 4, 3 }, { 2, 2, 2 }, { 6, 1, 4 }, { 3, 4, 1, 2 }, { 2, 3, 2, 1, 4 }, { 5, 5 },
};
static const size_t dragonflies[][4] = {
    { 1, 1, 1, 1 }, { 1, 1, 1, 3 }, { 1, 1, 4, 2 }, { 1, 3, 1, 1 }, { 2, 2, 2, 1 },
    { 3, 4, 5, 2 }, { 4, 2, 2, 2 }, { 6, 3, 2, 1 }, { 5, 1, 5, 1 },
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { SHAPES = 100 };

/* One of all that are tried; those after the last are stars. */
static netmodel_topology shape(size_t i)
{
    netmodel_topology t;
    if (i < COUNT(trees)) return tree_of(trees[i][0], trees[i][1], trees[i][2]);
    i -= COUNT(trees);
    if (i < COUNT(trees)) {
        t = tree_of(trees[i][0], trees[i][1], trees[i][2]);
        t.tree.by_sender = true;
        return t;
    }
    i -= COUNT(trees);
    if (i < 4 * COUNT(grids)) {
        t = grid_of(i % 2 == 0 ? NETMODEL_TOPOLOGY_TORUS : NETMODEL_TOPOLOGY_MESH, grids[i / 4]);
        if (i % 4 > 1) t.grid.host = gigabit;
        return t;
    }
    i -= 4 * COUNT(grids);
    if (i < 3 * COUNT(dragonflies)) {
        const size_t *size = dragonflies[i / 3];
        t = dragonfly_of(size[0], size[1], size[2], size[3]);
        if (i % 3 > 0) t.dragonfly.green = 3, t.dragonfly.black = 2, t.dragonfly.blue = 4;
        t.dragonfly.separate = i % 3 > 1;
        return t;
    }
    i -= 3 * COUNT(dragonflies);
    if (i == 0) return joined();
    if (i < 7) {
        t = clusters_of(i < 4 ? i : i + 2);
        if (i % 2 == 0) t.clusters.backbone = gigabit;
        return t;
    }
    t = star_of(1 + i % 5);
    if (i % 2 == 0) t.star.backbone = gigabit;
    return t;
}

/* The number of a place among all of them. */
static size_t place(const netmodel_topology *t, netmodel_place at)
{
    size_t index = at.number;
    assert_true(at.number < netmodel_topology_places(t, at.level));
    for (size_t level = 0; level < at.level; ++level) index += netmodel_topology_places(t, level);
    return index;
}

static size_t places(const netmodel_topology *t)
{
    size_t sum = 0, level = 0, count;
    for (; (count = netmodel_topology_places(t, level)) > 0; ++level) sum += count;
    return sum;
}

/* Every route begins at its sender, each link begins where the one before ends, and the last ends at the receiver. The
 * longest is as long as it should be, and no link is crossed twice. */
static void routes_hang_together(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; ++s) {
        const netmodel_topology t = shape(s);
        const size_t hosts = netmodel_topology_hosts(&t), links = netmodel_topology_links(&t);
        const size_t room = netmodel_topology_hops_max(&t);
        size_t longest = 0, channel[64];

        assert_int_equal(netmodel_topology_check(&t, NULL), NETMODEL_OK);
        assert_int_equal(netmodel_topology_places(&t, 0), hosts);
        assert_true(room <= COUNT(channel));
        for (size_t a = 0; a < hosts; ++a)
            for (size_t b = 0; b < hosts; ++b) {
                const size_t count = netmodel_topology_route(&t, a, b, channel, room);
                netmodel_place at = { 0, a };
                assert_true(count <= room);
                assert_int_equal(netmodel_topology_hops(&t, a, b), count);
                assert_true((count == 0) == (a == b));
                if (count > longest) longest = count;
                for (size_t i = 0; i < count; ++i) {
                    netmodel_place end[2];
                    const size_t back = channel[i] % 2;
                    assert_true(channel[i] / 2 < links);
                    assert_true(netmodel_topology_link_ends(&t, channel[i] / 2, end));
                    assert_true(end[back].level == at.level && end[back].number == at.number);
                    for (size_t j = 0; j < i; ++j) assert_true(channel[j] / 2 != channel[i] / 2);
                    at = end[1 - back];
                }
                assert_true(at.level == 0 && at.number == b);
            }
        assert_int_equal(longest, room);
    }
}

/* Links to each place from one host, found breadth first. */
static void search(const netmodel_topology *t, size_t host, size_t distance[])
{
    const size_t count = places(t), links = netmodel_topology_links(t);
    for (size_t i = 0; i < count; ++i) distance[i] = SIZE_MAX;
    distance[host] = 0;
    for (size_t far = 0, found = 1; found > 0; ++far) {
        found = 0;
        for (size_t link = 0; link < links; ++link) {
            netmodel_place end[2];
            assert_true(netmodel_topology_link_ends(t, link, end));
            for (size_t side = 0; side < 2; ++side) {
                const size_t from = place(t, end[side]), to = place(t, end[1 - side]);
                if (distance[from] == far && distance[to] == SIZE_MAX) distance[to] = far + 1, ++found;
            }
        }
    }
}

/* No other way is shorter. In a dragonfly that holds within a group; between groups a way through a third one may have
 * fewer links, but has two blue ones. A backbone with a bandwidth is a link more. */
static void routes_are_shortest(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; ++s) {
        const netmodel_topology t = shape(s);
        const bool dragonfly = t.kind == NETMODEL_TOPOLOGY_DRAGONFLY;
        const size_t hosts = netmodel_topology_hosts(&t), count = places(&t);
        const size_t group = dragonfly ? t.dragonfly.chassis * t.dragonfly.blades * t.dragonfly.nodes : 0;
        const bool backbone = (t.kind == NETMODEL_TOPOLOGY_STAR && t.star.backbone.bandwidth > 0) ||
                              (t.kind == NETMODEL_TOPOLOGY_CLUSTERS && t.clusters.backbone.bandwidth > 0);
        size_t distance[512];
        assert_true(count <= COUNT(distance));
        for (size_t a = 0; a < hosts; ++a) {
            search(&t, a, distance);
            for (size_t b = 0; b < hosts; ++b) {
                const size_t hops = netmodel_topology_hops(&t, a, b);
                if (dragonfly && a / group != b / group)
                    assert_true(hops >= distance[b] && hops <= 7);
                else if (backbone)
                    assert_true(hops == distance[b] || (hops == distance[b] + 1 && hops % 2 == 1));
                else
                    assert_int_equal(hops, distance[b]);
                assert_int_equal(netmodel_topology_hops(&t, b, a), hops);
            }
            for (size_t i = 0; i < count; ++i) assert_true(distance[i] != SIZE_MAX); /* all in one piece */
        }
    }
}

/* Every link has two ends and a cable; a link has the number that its place in the order of links says, so that the
 * counts of switches and links are those of the textbooks. */
static void links_are_counted(void **state)
{
    netmodel_topology t;
    netmodel_place end[2];
    (void)state;

    for (size_t s = 0; s < SHAPES; ++s) {
        t = shape(s);
        for (size_t link = 0; link < netmodel_topology_links(&t); ++link) {
            const netmodel_cable cable = netmodel_topology_link(&t, link);
            assert_true(cable.bandwidth >= 1.25e8 && cable.latency > 0);
            assert_equal(cable.duplex, 2);
        }
    }

    t = star_of(7);
    assert_int_equal(netmodel_topology_links(&t), 7);
    t.star.backbone = gigabit;
    assert_int_equal(netmodel_topology_links(&t), 8);

    /* SimGrid's manual: 2;4,4;1,2;1,2 has 16 hosts, 4 switches below 2, 16 + 16 cables. */
    t = tree_of((size_t[MOST]){ 4, 4 }, (size_t[MOST]){ 1, 2 }, (size_t[MOST]){ 1, 2 });
    assert_int_equal(netmodel_topology_hosts(&t), 16);
    assert_int_equal(netmodel_topology_places(&t, 1), 4);
    assert_int_equal(netmodel_topology_places(&t, 2), 2);
    assert_int_equal(netmodel_topology_places(&t, 3), 0);
    assert_int_equal(netmodel_topology_links(&t), 32);
    assert_true(netmodel_topology_link_ends(&t, 16 + 4 * 3 + 1, end)); /* switch 1.3, port 1: the first cable to 2.1 */
    assert_true(end[0].level == 1 && end[0].number == 3 && end[1].level == 2 && end[1].number == 1);

    t = grid_of(NETMODEL_TOPOLOGY_TORUS, (size_t[MOST]){ 4, 3, 2 });
    assert_int_equal(netmodel_topology_hosts(&t), 24);
    assert_int_equal(netmodel_topology_links(&t), 24 + 24 + 12);
    t.kind = NETMODEL_TOPOLOGY_MESH;
    assert_int_equal(netmodel_topology_links(&t), 18 + 16 + 12);
    t.grid.host = gigabit;
    assert_int_equal(netmodel_topology_links(&t), 18 + 16 + 12 + 24);
    assert_int_equal(netmodel_topology_places(&t, 1), 24);

    /* SimGrid's manual: 3,4;4,3;5,1;2. */
    t = dragonfly_of(3, 4, 5, 2);
    t.dragonfly.blue = 4, t.dragonfly.black = 3;
    assert_int_equal(netmodel_topology_hosts(&t), 120);
    assert_int_equal(netmodel_topology_places(&t, 1), 60);
    assert_int_equal(netmodel_topology_links(&t), 120 + 12 * 10 + 3 * 6 * 5 + 3);
    assert_equal(netmodel_topology_link(&t, 0).bandwidth, 1.25e8);
    assert_equal(netmodel_topology_link(&t, 120).bandwidth, 1.25e8);
    assert_equal(netmodel_topology_link(&t, 240).bandwidth, 3 * 1.25e8);
    assert_equal(netmodel_topology_link(&t, 332).bandwidth, 4 * 1.25e8);
    assert_true(netmodel_topology_link_ends(&t, 332, end)); /* groups 1 and 2: router 2 of group 1, 1 of group 2 */
    assert_true(end[0].number == 22 && end[1].number == 41);
    t.dragonfly.separate = true;
    assert_int_equal(netmodel_topology_links(&t), 120 + 12 * 10 + 3 * 3 * 6 * 5 + 4 * 3);
    assert_equal(netmodel_topology_link(&t, netmodel_topology_links(&t) - 1).bandwidth, 1.25e8);
}

/* A zeroed cable is that of the one before. */
static void cables_go_on(void **state)
{
    const netmodel_cable thin = { 1e6, 5e-6, 1.5 }, thick = { INFINITY, 0, 1 };
    netmodel_topology t = tree_of((size_t[MOST]){ 2, 2, 2, 2 }, (size_t[MOST]){ 1, 1, 1, 1 }, (size_t[MOST]){ 0 });
    (void)state;

    t.tree.cable[2] = thin;
    assert_int_equal(netmodel_topology_check(&t, NULL), NETMODEL_OK);
    for (size_t link = 0; link < 16 + 8 + 4 + 2; ++link) {
        const netmodel_cable own = netmodel_topology_link(&t, link), *cable = link < 24 ? &gigabit : &thin;
        assert_equal(own.bandwidth, cable->bandwidth);
        assert_equal(own.latency, cable->latency);
        assert_equal(own.duplex, link < 24 ? 2 : 1.5);
    }

    t = clusters_of(3);
    t.clusters.cluster[1].cable = thick;
    t.clusters.cluster[1].up = thin;
    for (size_t link = 0; link < 12; ++link)
        assert_equal(netmodel_topology_link(&t, link).bandwidth, link < 3    ? 1.25e8
                                                                 : link < 9  ? (double)INFINITY
                                                                 : link < 10 ? 1.25e8
                                                                             : 1e6);
    join(&t, 0, 1);
    join(&t, 1, 2);
    t.clusters.joint[0].cable = thin;
    memset(&t.clusters.joint[1].cable, 0, sizeof thin);
    assert_equal(netmodel_topology_link(&t, 10).bandwidth, 1e6);
    t.clusters.joints = 0;
    t.clusters.backbone = thin;
    assert_equal(netmodel_topology_link(&t, 12).duplex, 1.5);
    assert_equal(netmodel_topology_link(&t, 0).duplex, 2);

    t = dragonfly_of(2, 2, 2, 1);
    t.dragonfly.black_cable = thin;
    assert_equal(netmodel_topology_link(&t, 8).bandwidth, 1.25e8); /* green */
    assert_equal(netmodel_topology_link(&t, 12).bandwidth, 1e6);   /* black */
    assert_equal(netmodel_topology_link(&t, 16).bandwidth, 1e6);   /* blue */

    t = grid_of(NETMODEL_TOPOLOGY_TORUS, (size_t[MOST]){ 3, 3, 3 });
    t.grid.cable[1] = thin;
    t.grid.host = thick;
    assert_equal(netmodel_topology_link(&t, 26).bandwidth, INFINITY);
    assert_equal(netmodel_topology_link(&t, 53).bandwidth, 1.25e8);
    assert_equal(netmodel_topology_link(&t, 54).bandwidth, 1e6);
    assert_equal(netmodel_topology_link(&t, 107).bandwidth, 1e6);
}

/* First all of one dimension, then all of the next; the shorter way, halfway up but down to 0. */
static void grids_go_dimension_by_dimension(void **state)
{
    size_t channel[16];
    (void)state;

    for (size_t g = 0; g < COUNT(grids); ++g)
        for (size_t torus = 0; torus < 2; ++torus) {
            const netmodel_topology t = grid_of(torus ? NETMODEL_TOPOLOGY_TORUS : NETMODEL_TOPOLOGY_MESH, grids[g]);
            const size_t hosts = netmodel_topology_hosts(&t);
            for (size_t a = 0; a < hosts; ++a)
                for (size_t b = 0; b < hosts; ++b) {
                    size_t at = a, stride = 1, step = 0;
                    const size_t count = netmodel_topology_route(&t, a, b, channel, 16);
                    for (size_t j = 0; j < t.grid.dimensions; stride *= t.grid.size[j++]) {
                        const size_t size = t.grid.size[j], from = a / stride % size, to = b / stride % size;
                        const size_t ahead = (to + size - from) % size;
                        const bool up =
                            !torus || size < 3 ? to > from : 2 * ahead < size || (2 * ahead == size && to > 0);
                        for (size_t k = up ? ahead : (size - ahead) % size; k > 0; --k, ++step) {
                            netmodel_place end[2];
                            const size_t own = at / stride % size, next = (own + (up ? 1 : size - 1)) % size;
                            assert_true(step < count && channel[step] % 2 == (up ? 0 : 1));
                            assert_true(netmodel_topology_link_ends(&t, channel[step] / 2, end));
                            assert_int_equal(end[up ? 0 : 1].number, at);
                            at = at - own * stride + next * stride;
                            assert_int_equal(end[up ? 1 : 0].number, at);
                        }
                    }
                    assert_int_equal(step, count);
                }
        }
}

/* How many flows cross each channel, at most, if every host sends to the one `shift` further on. */
static size_t busiest(const netmodel_topology *t, size_t shift, bool only_up)
{
    const size_t hosts = netmodel_topology_hosts(t);
    size_t channel[64], most = 0, *flows = calloc(2 * netmodel_topology_links(t), sizeof *flows);
    assert_non_null(flows);
    for (size_t a = 0; a < hosts; ++a) {
        const size_t count = netmodel_topology_route(t, a, (a + shift) % hosts, channel, COUNT(channel));
        for (size_t i = 0; i < count; ++i)
            if (!(only_up && channel[i] % 2 == 1) && ++flows[channel[i]] > most) most = flows[channel[i]];
    }
    free(flows);
    return most;
}

/* [pgft]: in a fat tree without a taper, d-mod-k lets every shift pass without two flows on any channel. */
static void shifts_do_not_block(void **state)
{
    netmodel_topology t = tree_of((size_t[MOST]){ 4, 4, 4 }, (size_t[MOST]){ 1, 4, 4 }, (size_t[MOST]){ 1, 1, 1 });
    (void)state;

    for (size_t shift = 1; shift < 64; ++shift) assert_int_equal(busiest(&t, shift, false), 1);
    t = tree_of((size_t[MOST]){ 4, 4 }, (size_t[MOST]){ 1, 2 }, (size_t[MOST]){ 1, 2 });
    for (size_t shift = 1; shift < 16; ++shift) assert_int_equal(busiest(&t, shift, true), 1);
    t = tree_of((size_t[MOST]){ 4, 8 }, (size_t[MOST]){ 1, 2 }, (size_t[MOST]){ 1, 1 }); /* tapered to half */
    for (size_t shift = 4; shift < 29; ++shift) assert_int_equal(busiest(&t, shift, true), 2);
}

/* All that one host can send to is spread over its parents and cables; by the sender, so is what it receives. */
static void parallel_cables_are_all_used(void **state)
{
    netmodel_topology t = tree_of((size_t[MOST]){ 4, 4 }, (size_t[MOST]){ 2, 2 }, (size_t[MOST]){ 2, 2 });
    size_t channel[4], sent[4] = { 0 }, received[4] = { 0 };
    (void)state;

    t.tree.by_sender = true;
    for (size_t b = 4; b < 16; ++b) {
        assert_int_equal(netmodel_topology_route(&t, 0, b, channel, 4), 4);
        ++sent[channel[0] / 2];
        assert_int_equal(netmodel_topology_route(&t, b, 0, channel, 4), 4);
        assert_int_equal(channel[3] % 2, 1);
        ++received[channel[3] / 2];
    }
    for (size_t i = 0; i < 4; ++i) assert_int_equal(sent[i], 3);
    assert_int_equal(received[0], 6); /* one parent, because the receiver chooses it, over both of its cables */
    assert_int_equal(received[2], 6);

    /* Between clusters 1 and 2 are joints 1 and 2. */
    t = joined();
    assert_int_equal(netmodel_topology_route(&t, 3, 5, channel, 4), 3);
    assert_int_equal(channel[1], 2 * (13 + 1) + 1); /* joint 1 is from 2 to 1 */
    assert_int_equal(netmodel_topology_route(&t, 3, 6, channel, 4), 3);
    assert_int_equal(channel[1], 2 * (13 + 2));

    t = dragonfly_of(2, 1, 2, 4);
    t.dragonfly.blue = 4;
    t.dragonfly.separate = true;
    for (size_t b = 0; b < 4;
         ++b) { /* host 4 is on router 1, which has the blue links; receivers are on the router there */
        assert_int_equal(netmodel_topology_route(&t, 4, 8 + b, channel, 4), 3);
        assert_int_equal(channel[1] / 2, 16 + 2 + b);
    }
}

/* The cheapest of all cuts between halves of the hosts, each switch on whichever side is best. */
static double cheapest_cut(const netmodel_topology *t)
{
    const size_t hosts = netmodel_topology_hosts(t), all = places(t), links = netmodel_topology_links(t);
    size_t from[128], to[128];
    double bandwidth[128], best = INFINITY;
    assert_true(links <= COUNT(from) && all <= 21);
    for (size_t i = 0; i < links; ++i) {
        netmodel_place end[2];
        assert_true(netmodel_topology_link_ends(t, i, end));
        from[i] = place(t, end[0]);
        to[i] = place(t, end[1]);
        bandwidth[i] = netmodel_topology_link(t, i).bandwidth;
    }
    for (size_t side = 0; side < (size_t)1 << all; ++side) {
        size_t count = 0;
        double sum = 0;
        for (size_t i = 0; i < hosts; ++i) count += side >> i & 1;
        if (count != hosts / 2) continue;
        for (size_t i = 0; i < links; ++i)
            if ((side >> from[i] & 1) != (side >> to[i] & 1)) sum += bandwidth[i];
        if (sum < best) best = sum;
    }
    return best;
}

/* Any of 1, 2, 4 ... 32 B/s: ties and steps both. */
static netmodel_cable some_cable(uint64_t *seed)
{
    const netmodel_cable cable = { (double)(1 << (random_next(seed) >> 32) % 6), 0, 0 };
    return cable;
}

static void bisections_are_the_cheapest_cuts(void **state)
{
    static const size_t small_trees[][2][MOST] = {
        { { 5 }, { 1 } },
        { { 4 }, { 2 } },
        { { 2, 2 }, { 1, 1 } },
        { { 3, 2 }, { 1, 2 } },
        { { 2, 4 }, { 1, 3 } },
        { { 3, 2 }, { 2, 1 } },
        { { 2, 3, 2 }, { 1, 1, 1 } },
        { { 2, 2, 2 }, { 1, 2, 1 } },
        { { 4, 2, 1 }, { 1, 2, 2 } },
        { { 1, 4 }, { 1, 2 } },
        { { 2, 3 }, { 1, 2 } },
        { { 3, 3 }, { 1, 1 } },
        { { 3, 1, 3 }, { 1, 2, 1 } },
    };
    static const size_t small_grids[][MOST] = { { 1 },       { 2 },       { 5 },      { 6 },    { 2, 2 },
                                                { 4, 2 },    { 4, 3 },    { 2, 3 },   { 3, 3 }, { 4, 4 },
                                                { 2, 2, 2 }, { 2, 3, 2 }, { 2, 1, 3 } };
    uint64_t seed = 20;
    size_t known = 0, unknown = 0;
    (void)state;

    for (size_t i = 0; i < COUNT(small_trees); ++i)
        for (size_t k = 0; k < 6; ++k) {
            netmodel_topology t =
                tree_of(small_trees[i][0], small_trees[i][1], (size_t[MOST]){ 1, 1 + k % 2, 1, 1, 1 });
            for (size_t j = 0; j < t.tree.levels; ++j) t.tree.cable[j] = some_cable(&seed);
            const double bisection = netmodel_topology_bisection(&t);
            if (isnan(bisection))
                ++unknown;
            else
                assert_equal(bisection, cheapest_cut(&t));
        }
    assert_true(unknown < 10);
    for (size_t i = 0; i < COUNT(small_grids); ++i)
        for (size_t k = 0; k < 16; ++k) {
            netmodel_topology t = grid_of(k % 2 ? NETMODEL_TOPOLOGY_TORUS : NETMODEL_TOPOLOGY_MESH, small_grids[i]);
            for (size_t j = 0; j < t.grid.dimensions; ++j) t.grid.cable[j] = some_cable(&seed);
            if (k % 4 > 1 && netmodel_topology_hosts(&t) <= 10) t.grid.host = some_cable(&seed);
            const double bisection = netmodel_topology_bisection(&t);
            if (isnan(bisection)) continue;
            assert_equal(bisection, cheapest_cut(&t));
            ++known;
        }
    assert_true(known > 16 * 8);
    for (size_t k = 0; k < 60; ++k) {
        netmodel_topology t = k % 3 == 0 ? joined() : clusters_of(2 + k % 4);
        for (size_t i = 0; i < t.clusters.count; ++i) {
            t.clusters.cluster[i].cable = some_cable(&seed);
            t.clusters.cluster[i].up = some_cable(&seed);
        }
        for (size_t j = 0; j < t.clusters.joints; ++j) t.clusters.joint[j].cable = some_cable(&seed);
        assert_equal(netmodel_topology_bisection(&t), cheapest_cut(&t));
    }
    for (size_t hosts = 1; hosts < 8; ++hosts) {
        netmodel_topology t = star_of(hosts);
        assert_equal(netmodel_topology_bisection(&t), cheapest_cut(&t));
    }
}

/* Closed forms of the textbooks, at any size; and where there is none. */
static void bisections_of_large_ones(void **state)
{
    netmodel_topology t = tree_of((size_t[MOST]){ 16, 16, 16 }, (size_t[MOST]){ 1, 16, 16 }, (size_t[MOST]){ 1, 1, 1 });
    (void)state;

    assert_close(netmodel_topology_bisection(&t), 2048 * 1.25e8, 1e-15); /* full */
    t.tree.up[2] = 4;
    assert_close(netmodel_topology_bisection(&t), 512 * 1.25e8, 1e-15); /* tapered 4 to 1 */
    t = grid_of(NETMODEL_TOPOLOGY_TORUS, (size_t[MOST]){ 8, 8, 16 });
    assert_close(netmodel_topology_bisection(&t), 2 * 64 * 1.25e8, 1e-15);
    t.kind = NETMODEL_TOPOLOGY_MESH;
    assert_close(netmodel_topology_bisection(&t), 64 * 1.25e8, 1e-15);
    t = grid_of(NETMODEL_TOPOLOGY_TORUS, (size_t[MOST]){ 2, 2, 2, 2, 2 }); /* a hypercube */
    assert_close(netmodel_topology_bisection(&t), 16 * 1.25e8, 1e-15);

    /* A backbone passes all transfers together, so it is cut as well. */
    t = star_of(10);
    t.star.backbone = (netmodel_cable){ 3e8, 0, 0 };
    assert_equal(netmodel_topology_bisection(&t), 3e8);
    t.star.backbone.bandwidth = 9e8;
    assert_equal(netmodel_topology_bisection(&t), 5 * 1.25e8);
    t = clusters_of(2);
    t.clusters.cluster[1].hosts = 3;
    t.clusters.backbone = (netmodel_cable){ 1e6, 0, 0 };
    assert_equal(netmodel_topology_bisection(&t), 1e6);
    t.clusters.cluster[1].hosts = 5; /* one of its hosts belongs to the other half */
    assert_equal(netmodel_topology_bisection(&t), 1e6 + 1.25e8);

    t = dragonfly_of(2, 2, 2, 2);
    assert_nan(netmodel_topology_bisection(&t));
    t = grid_of(NETMODEL_TOPOLOGY_TORUS, (size_t[MOST]){ 5, 5 });
    assert_nan(netmodel_topology_bisection(&t));
    t = tree_of((size_t[MOST]){ 2, 3 }, (size_t[MOST]){ 1, 1 }, (size_t[MOST]){ 1, 1 });
    assert_nan(netmodel_topology_bisection(&t));
    t.tree.up[1] = 2; /* full: half of the hosts, whatever their switches */
    assert_equal(netmodel_topology_bisection(&t), 3 * 1.25e8);
    t = star_of(0);
    assert_nan(netmodel_topology_bisection(&t));
    t = star_of(3);
    t.star.cable.bandwidth = NAN;
    assert_nan(netmodel_topology_bisection(&t));
}

/* Ten thousand hosts and many more: nothing is listed. */
static void large_ones_have_routes(void **state)
{
    netmodel_topology t = tree_of((size_t[MOST]){ 48, 48, 48 }, (size_t[MOST]){ 1, 24, 24 }, (size_t[MOST]){ 1, 1, 1 });
    size_t channel[8];
    uint64_t seed = 1;
    (void)state;

    assert_int_equal(netmodel_topology_hosts(&t), 110592);
    for (int i = 0; i < 1000; ++i) {
        const size_t a = random_next(&seed) % 110592, b = random_next(&seed) % 110592;
        const size_t count = netmodel_topology_route(&t, a, b, channel, 8);
        netmodel_place at = { 0, a };
        for (size_t k = 0; k < count; ++k) {
            netmodel_place end[2];
            assert_true(netmodel_topology_link_ends(&t, channel[k] / 2, end));
            assert_true(end[channel[k] % 2].level == at.level && end[channel[k] % 2].number == at.number);
            at = end[1 - channel[k] % 2];
        }
        assert_true(at.level == 0 && at.number == b);
    }
    t = grid_of(NETMODEL_TOPOLOGY_TORUS, (size_t[MOST]){ 128, 128, 128, 64 }); /* 2^27 hosts */
    assert_int_equal(netmodel_topology_check(&t, NULL), NETMODEL_OK);
    assert_int_equal(netmodel_topology_hops(&t, 0, 1 << 26), 32);
}

#define REFUSED(t, result, index)                                                                                      \
    do {                                                                                                               \
        size_t where_ = 99, room_[8];                                                                                  \
        assert_int_equal(netmodel_topology_check(&(t), &where_), (result));                                            \
        assert_int_equal(where_, (index));                                                                             \
        assert_int_equal(netmodel_topology_check(&(t), NULL), (result));                                               \
        if ((result) != NETMODEL_BAD_CABLE) {                                                                          \
            assert_int_equal(netmodel_topology_hosts(&(t)), 0);                                                        \
            assert_int_equal(netmodel_topology_links(&(t)), 0);                                                        \
            assert_int_equal(netmodel_topology_places(&(t), 0), 0);                                                    \
            assert_int_equal(netmodel_topology_hops_max(&(t)), 0);                                                     \
            assert_true(netmodel_topology_route(&(t), 0, 1, room_, 8) == NETMODEL_NO_ROUTE);                           \
            assert_nan(netmodel_topology_link(&(t), 0).bandwidth);                                                     \
        }                                                                                                              \
        assert_nan(netmodel_topology_bisection(&(t)));                                                                 \
    } while (0)

static void one_cluster_needs_no_up_link(void **state)
{
    netmodel_topology t = { .kind = NETMODEL_TOPOLOGY_CLUSTERS, .clusters = { .count = 1 } };
    (void)state;
    t.clusters.cluster[0] = (netmodel_cluster_shape){ .hosts = 3, .cable = { .bandwidth = 10 } };
    assert_int_equal(netmodel_topology_check(&t, NULL), NETMODEL_OK);
    assert_int_equal(netmodel_topology_hops(&t, 0, 2), 2);
    assert_true(netmodel_topology_link(&t, 3).bandwidth > 1e300);
    assert_true(netmodel_topology_bisection(&t) == 10);
    t.clusters.cluster[0].up.latency = 1;
    assert_int_equal(netmodel_topology_check(&t, NULL), NETMODEL_BAD_CABLE);
    t.clusters.cluster[0].up.latency = 0;
    t.clusters.cluster[t.clusters.count++] = t.clusters.cluster[0];
    assert_int_equal(netmodel_topology_check(&t, NULL), NETMODEL_BAD_CABLE);
    assert_non_null(strstr(netmodel_result_text(NETMODEL_BAD_CABLE), "clusters without joints need `up`"));
}

static void mistakes_are_refused(void **state)
{
    const netmodel_topology good_tree =
        tree_of((size_t[MOST]){ 2, 2, 2 }, (size_t[MOST]){ 1, 1, 1 }, (size_t[MOST]){ 1, 1, 1 });
    const netmodel_topology good_grid = grid_of(NETMODEL_TOPOLOGY_TORUS, (size_t[MOST]){ 3, 3, 3 });
    netmodel_topology t = { .kind = NETMODEL_TOPOLOGY_STAR };
    (void)state;

    assert_int_equal(netmodel_topology_check(NULL, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_topology_hosts(NULL), 0);
    assert_int_equal(netmodel_topology_links(NULL), 0);
    REFUSED(t, NETMODEL_BAD_SIZE, 0); /* zeroed */
    t = star_of(NETMODEL_TOPOLOGY_MOST);
    REFUSED(t, NETMODEL_TOO_LARGE, 0);
    t = star_of(3);
    t.kind = (netmodel_topology_kind)6;
    REFUSED(t, NETMODEL_BAD_OPTION, 0);

    t = good_tree;
    t.tree.levels = 0;
    REFUSED(t, NETMODEL_BAD_LEVELS, 0);
    t.tree.levels = NETMODEL_TREE_LEVELS + 1;
    REFUSED(t, NETMODEL_BAD_LEVELS, 0);
    t = good_tree;
    t.tree.down[1] = 0;
    REFUSED(t, NETMODEL_BAD_SIZE, 1);
    t = good_tree;
    t.tree.up[2] = 0;
    REFUSED(t, NETMODEL_BAD_SIZE, 2);
    t = good_tree;
    t.tree.down[0] = SIZE_MAX;
    REFUSED(t, NETMODEL_TOO_LARGE, 0);
    t = good_tree;
    t.tree.down[0] = t.tree.down[1] = t.tree.down[2] = 1 << 11;
    REFUSED(t, NETMODEL_TOO_LARGE, 0);
    t = good_tree;
    t.tree.up[1] = 1 << 20, t.tree.up[2] = 1 << 20;
    REFUSED(t, NETMODEL_TOO_LARGE, 2);
    t = good_tree;
    t.tree.count[1] = 1 << 29;
    REFUSED(t, NETMODEL_TOO_LARGE, 1);
    t = good_tree; /* 2^30 links of hosts fit, but no more above */
    t.tree.down[0] = 1 << 15, t.tree.down[1] = 1 << 14, t.tree.down[2] = 1, t.tree.count[0] = 2;
    REFUSED(t, NETMODEL_TOO_LARGE, 1);

    t = good_grid;
    t.grid.dimensions = 0;
    REFUSED(t, NETMODEL_BAD_DIMENSIONS, 0);
    t.grid.dimensions = 6;
    REFUSED(t, NETMODEL_BAD_DIMENSIONS, 0);
    t = good_grid;
    t.grid.size[1] = 0;
    REFUSED(t, NETMODEL_BAD_SIZE, 1);
    t = good_grid;
    t.grid.size[1] = t.grid.size[2] = (size_t)1 << 16;
    REFUSED(t, NETMODEL_TOO_LARGE, 2);
    t.kind = NETMODEL_TOPOLOGY_MESH;
    REFUSED(t, NETMODEL_TOO_LARGE, 2);
    t.grid.size[0] = (size_t)1 << 12; /* 2^28 nodes, but five links each might not fit */
    REFUSED(t, NETMODEL_TOO_LARGE, 1);

    t = dragonfly_of(0, 2, 2, 2);
    REFUSED(t, NETMODEL_BAD_SIZE, 0);
    t = dragonfly_of(2, 0, 2, 2);
    REFUSED(t, NETMODEL_BAD_SIZE, 0);
    t = dragonfly_of(2, 2, 0, 2);
    REFUSED(t, NETMODEL_BAD_SIZE, 0);
    t = dragonfly_of(2, 2, 2, 0);
    REFUSED(t, NETMODEL_BAD_SIZE, 0);
    t = dragonfly_of(5, 2, 2, 2);
    REFUSED(t, NETMODEL_TOO_MANY_GROUPS, 0);
    t = dragonfly_of(2, 1, 1 << 15, 1 << 15);
    REFUSED(t, NETMODEL_TOO_LARGE, 0);
    t = dragonfly_of(2, 1, SIZE_MAX, 1);
    REFUSED(t, NETMODEL_TOO_LARGE, 0);
    t = dragonfly_of(2, SIZE_MAX, 1, 1);
    REFUSED(t, NETMODEL_TOO_LARGE, 0);
    t = dragonfly_of(SIZE_MAX, 1, 1, 1);
    REFUSED(t, NETMODEL_TOO_LARGE, 0);
    t = dragonfly_of(2, 1, 1 << 15, 1); /* its pairs of blades are too many */
    REFUSED(t, NETMODEL_TOO_LARGE, 0);
    t = dragonfly_of(2, 2, 2, 2);
    t.dragonfly.green = SIZE_MAX, t.dragonfly.separate = true;
    REFUSED(t, NETMODEL_TOO_LARGE, 0);

    t = clusters_of(3);
    t.clusters.count = 0;
    REFUSED(t, NETMODEL_BAD_CLUSTERS, 0);
    t.clusters.count = NETMODEL_JOINED_CLUSTERS + 1;
    REFUSED(t, NETMODEL_BAD_CLUSTERS, 0);
    t = clusters_of(3);
    t.clusters.cluster[2].hosts = 0;
    REFUSED(t, NETMODEL_BAD_SIZE, 2);
    t.clusters.cluster[2].hosts = SIZE_MAX;
    REFUSED(t, NETMODEL_TOO_LARGE, 2);
    t = clusters_of(3);
    t.clusters.joints = NETMODEL_JOINTS + 1;
    REFUSED(t, NETMODEL_BAD_JOINT, 0);
    t = clusters_of(3);
    join(&t, 0, 1);
    REFUSED(t, NETMODEL_NOT_JOINED, 2);
    join(&t, 2, 2);
    REFUSED(t, NETMODEL_BAD_JOINT, 1);
    t.clusters.joint[1].to = 3;
    REFUSED(t, NETMODEL_BAD_JOINT, 1);
    t.clusters.joint[1].from = 3, t.clusters.joint[1].to = 2;
    REFUSED(t, NETMODEL_BAD_JOINT, 1);
    t.clusters.joint[1].from = 2;
    t.clusters.joint[1].to = 1;
    assert_int_equal(netmodel_topology_check(&t, NULL), NETMODEL_OK);
}

static void bad_cables_are_refused(void **state)
{
    const netmodel_cable bad[] = { { 0, 1e-6, 0 }, { -1, 0, 0 },  { NAN, 0, 0 }, { 1, -1, 0 },       { 1, INFINITY, 0 },
                                   { 1, NAN, 0 },  { 1, 0, 0.5 }, { 1, 0, 2.5 }, { 1, 0, NAN },      { 0, 0, NAN },
                                   { 0, NAN, 0 },  { 0, 0, 1.5 }, { 1, 0, -1 },  { -INFINITY, 0, 0 } };
    (void)state;

    for (size_t i = 0; i < COUNT(bad); ++i) {
        netmodel_topology t = star_of(3);
        t.star.cable = bad[i];
        REFUSED(t, NETMODEL_BAD_CABLE, 0);
        t = star_of(3);
        t.star.backbone = bad[i];
        REFUSED(t, NETMODEL_BAD_CABLE, 0);
        t = clusters_of(3);
        t.clusters.cluster[1].cable = bad[i];
        REFUSED(t, NETMODEL_BAD_CABLE, 1);
        t = clusters_of(3);
        t.clusters.cluster[2].up = bad[i];
        REFUSED(t, NETMODEL_BAD_CABLE, 2);
        t = clusters_of(3);
        t.clusters.backbone = bad[i];
        REFUSED(t, NETMODEL_BAD_CABLE, 0);
        t = joined();
        t.clusters.joint[3].cable = bad[i];
        REFUSED(t, NETMODEL_BAD_CABLE, 3);
        t = tree_of(trees[3][0], trees[3][1], trees[3][2]);
        t.tree.cable[2] = bad[i];
        REFUSED(t, NETMODEL_BAD_CABLE, 2);
        t = grid_of(NETMODEL_TOPOLOGY_MESH, grids[5]);
        t.grid.cable[1] = bad[i];
        REFUSED(t, NETMODEL_BAD_CABLE, 1);
        t = grid_of(NETMODEL_TOPOLOGY_MESH, grids[5]);
        t.grid.host = bad[i];
        REFUSED(t, NETMODEL_BAD_CABLE, 0);
        t = dragonfly_of(2, 2, 2, 2);
        t.dragonfly.blue_cable = bad[i];
        REFUSED(t, NETMODEL_BAD_CABLE, 3);
    }
    netmodel_topology t = tree_of(trees[3][0], trees[3][1], trees[3][2]); /* zeroed, but there is none before */
    t.tree.cable[0].bandwidth = t.tree.cable[0].latency = 0;
    REFUSED(t, NETMODEL_BAD_CABLE, 0);
    t = joined(); /* up links do not count where there are joints */
    t.clusters.cluster[0].up.bandwidth = -1;
    assert_int_equal(netmodel_topology_check(&t, NULL), NETMODEL_OK);
}

static void what_does_not_exist(void **state)
{
    const netmodel_topology t = tree_of(trees[2][0], trees[2][1], trees[2][2]);
    size_t channel[4];
    netmodel_place end[2] = { { 7, 7 }, { 7, 7 } };
    (void)state;

    assert_true(netmodel_topology_route(&t, 16, 0, channel, 4) == NETMODEL_NO_ROUTE);
    assert_true(netmodel_topology_route(&t, 0, 16, channel, 4) == NETMODEL_NO_ROUTE);
    assert_true(netmodel_topology_route(&t, 16, 16, channel, 4) == NETMODEL_NO_ROUTE);
    assert_true(netmodel_topology_hops(&t, 0, SIZE_MAX) == NETMODEL_NO_ROUTE);
    assert_true(netmodel_topology_route(&t, 0, 4, channel, 3) == NETMODEL_NO_ROUTE); /* too little room */
    assert_true(netmodel_topology_route(&t, 0, 4, NULL, 4) == NETMODEL_NO_ROUTE);
    assert_true(netmodel_topology_route(NULL, 0, 4, channel, 4) == NETMODEL_NO_ROUTE);
    assert_int_equal(netmodel_topology_route(&t, 5, 5, NULL, 0), 0);
    assert_int_equal(netmodel_topology_route(&t, 0, 1, channel, 2), 2);
    assert_false(netmodel_topology_link_ends(&t, 32, end));
    assert_true(end[0].level == 0 && end[0].number == 0 && end[1].level == 0 && end[1].number == 0);
    assert_nan(netmodel_topology_link(&t, 32).bandwidth);
    assert_nan(netmodel_topology_link(&t, 32).latency);
    assert_nan(netmodel_topology_link(&t, 32).duplex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_hang_together),
        cmocka_unit_test(routes_are_shortest),
        cmocka_unit_test(links_are_counted),
        cmocka_unit_test(cables_go_on),
        cmocka_unit_test(grids_go_dimension_by_dimension),
        cmocka_unit_test(shifts_do_not_block),
        cmocka_unit_test(parallel_cables_are_all_used),
        cmocka_unit_test(bisections_are_the_cheapest_cuts),
        cmocka_unit_test(bisections_of_large_ones),
        cmocka_unit_test(large_ones_have_routes),
        cmocka_unit_test(one_cluster_needs_no_up_link),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(bad_cables_are_refused),
        cmocka_unit_test(what_does_not_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
