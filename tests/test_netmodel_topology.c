/* Room topology of netmodel.h: routes that hang together, and go where they should. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "close.h"

static const netmodel_cable gigabit = { 1.25e8, 1e-6, 0 };

static netmodel_topology star_of(size_t hosts)
{
    netmodel_topology t = { .kind = NETMODEL_TOPOLOGY_STAR, .star = { hosts, gigabit, { 0 } } };
    return t;
}

static netmodel_topology tree_of(size_t levels, const size_t down[], const size_t up[], const size_t count[])
{
    netmodel_topology t = { .kind = NETMODEL_TOPOLOGY_FAT_TREE, .tree = { .levels = levels } };
    for (size_t i = 0; i < levels; ++i) {
        t.tree.down[i] = down[i];
        t.tree.up[i] = up[i];
        t.tree.count[i] = count[i];
    }
    t.tree.cable[0] = gigabit;
    return t;
}

static netmodel_topology grid_of(netmodel_topology_kind kind, size_t dimensions, const size_t size[])
{
    netmodel_topology t = { .kind = kind, .grid = { .dimensions = dimensions } };
    for (size_t j = 0; j < dimensions; ++j) t.grid.size[j] = size[j];
    t.grid.cable[0] = gigabit;
    return t;
}

#define TREE(levels, down, up, count) tree_of(levels, (size_t[])down, (size_t[])up, (size_t[])count)
#define LIST(...) { __VA_ARGS__ }

/* Every route begins at its sender, each link begins where the one before ends, and the last ends at the receiver. */
static void check_routes(const netmodel_topology *t)
{
    const size_t hosts = netmodel_topology_hosts(t), links = netmodel_topology_links(t);
    const size_t room = netmodel_topology_hops_max(t);
    size_t longest = 0, *channel = malloc((room + 1) * sizeof *channel);

    assert_non_null(channel);
    assert_int_equal(netmodel_topology_check(t, NULL), NETMODEL_OK);
    for (size_t a = 0; a < hosts; ++a)
        for (size_t b = 0; b < hosts; ++b) {
            const size_t count = netmodel_topology_route(t, a, b, channel, room);
            netmodel_place at = { 0, a };
            assert_true(count <= room);
            assert_int_equal(netmodel_topology_hops(t, a, b), count);
            assert_true((count == 0) == (a == b));
            if (count > longest) longest = count;
            for (size_t i = 0; i < count; ++i) {
                netmodel_place end[2];
                const size_t back = channel[i] % 2;
                assert_true(channel[i] / 2 < links);
                assert_true(netmodel_topology_link_ends(t, channel[i] / 2, end));
                assert_int_equal(end[back].level, at.level);
                assert_int_equal(end[back].number, at.number);
                at = end[1 - back];
                assert_true(at.number < netmodel_topology_places(t, at.level));
            }
            assert_int_equal(at.level, 0);
            assert_int_equal(at.number, b);
        }
    assert_int_equal(longest, room);
    free(channel);
}

static void routes_hang_together(void **state)
{
    netmodel_topology t = star_of(7);
    (void)state;

    check_routes(&t);
    t.star.backbone = gigabit;
    check_routes(&t);
    t = TREE(2, LIST(4, 4), LIST(1, 2), LIST(1, 2));
    check_routes(&t);
    t = TREE(3, LIST(2, 3, 4), LIST(2, 2, 3), LIST(2, 1, 2));
    check_routes(&t);
    t = grid_of(NETMODEL_TOPOLOGY_TORUS, 3, (size_t[]){ 2, 3, 4 });
    check_routes(&t);
    t.grid.host = gigabit;
    check_routes(&t);
    t = grid_of(NETMODEL_TOPOLOGY_MESH, 4, (size_t[]){ 3, 1, 4, 2 });
    check_routes(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_hang_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
