/* Room machines of util/simkit_files.h: the network of a machine file, its topology, links and routes; what every error there is called;
 * and what it becomes in a world. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"

#include "machine.h"

/* Networks: topologies. */
#define LINKS "link_bandwidth = 125 MB/s\nlink_latency = 10 us\n"

static void topologies_are_read(void **state)
{
    static const struct {
        const char *text;
        netmodel_topology_kind kind;
        size_t hosts, links;
    } cases[] = {
        { "topology = star\nhosts = 5\n" LINKS, NETMODEL_TOPOLOGY_STAR, 5, 5 },
        { "hosts = 5\nbackbone_bandwidth = 1 GB/s\n" LINKS "topology = star\n", NETMODEL_TOPOLOGY_STAR, 5, 6 },
        { "topology = clusters\nhosts = 4, 3\nup_bandwidth = 1 Gbit/s\n" LINKS, NETMODEL_TOPOLOGY_CLUSTERS, 7, 9 },
        { "topology = clusters\nhosts = 4, 3, 2\njoints = 1-2,2 - 3\njoint_bandwidth = 1 Gbit/s\n" LINKS,
          NETMODEL_TOPOLOGY_CLUSTERS, 9, 11 },
        { "topology = fat_tree\ndown = 4, 4\nup = 1, 2\ncables = 1, 2\n" LINKS, NETMODEL_TOPOLOGY_FAT_TREE, 16, 32 },
        { "topology = torus\nsize = 4, 3, 2\n" LINKS, NETMODEL_TOPOLOGY_TORUS, 24, 24 + 24 + 12 },
        { "topology = mesh\nsize = 4, 3\nhost_bandwidth = 1 GB/s\n" LINKS, NETMODEL_TOPOLOGY_MESH, 12, 12 + 9 + 8 },
        { "topology = dragonfly\ngroups = 3\nchassis = 2\nblades = 2\nnodes = 2\nblue = 2\n" LINKS,
          NETMODEL_TOPOLOGY_DRAGONFLY, 24, 24 + 6 + 6 + 3 },
    };
    char text[400];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(text, sizeof text, "[network]\n%s", cases[i].text);
        if (parse(text) != SIMKIT_OK) fail_msg("%s", error.text);
        assert_non_null(machine->topology);
        assert_int_equal(machine->topology->kind, cases[i].kind);
        assert_int_equal(netmodel_topology_hosts(machine->topology), cases[i].hosts);
        assert_int_equal(netmodel_topology_links(machine->topology), cases[i].links);
        assert_int_equal(machine->nodes, cases[i].hosts); /* one node for each host */
        const netmodel_cable cable = netmodel_topology_link(machine->topology, 0);
        assert_equal(cable.bandwidth, cases[i].kind == NETMODEL_TOPOLOGY_MESH ? 1e9 : 125e6);
        assert_equal(cable.latency, cases[i].kind == NETMODEL_TOPOLOGY_MESH ? 0 : 10e-6);
        assert_equal(cable.duplex, 2);
    }
    assert_int_equal(parse("[network]\nlatency = 1 s\nwindow = 64 KiB\npair_duplex = 1.2\n[node]\nduplex = 1.4"),
                     SIMKIT_OK);
    assert_null(machine->topology);
    assert_equal(machine->window, 65536);
    assert_equal(machine->pair_duplex, 1.2);
    assert_equal(machine->kinds[0].node.duplex, 1.4);
}

/* One value for all, or one for each. */
static void cables_have_their_values(void **state)
{
    (void)state;
    if (parse("[network]\ntopology = fat_tree\ndown = 2, 3\nup = 1, 2\nlink_bandwidth = 1 MB/s, 2 MB/s\n"
              "link_latency = 1 ms\nlink_duplex = 1, 1.5\n") != SIMKIT_OK)
        fail_msg("%s", error.text);
    const netmodel_tree_shape *tree = &machine->topology->tree;
    assert_int_equal(tree->levels, 2);
    assert_int_equal(tree->down[1], 3);
    assert_int_equal(tree->up[1], 2);
    assert_int_equal(tree->count[1], 0);
    assert_equal(tree->cable[0].bandwidth, 1e6);
    assert_equal(tree->cable[1].bandwidth, 2e6);
    assert_equal(tree->cable[1].latency, 1e-3);
    assert_equal(tree->cable[0].duplex, 1);
    assert_equal(tree->cable[1].duplex, 1.5);
    if (parse("[network]\ntopology = dragonfly\ngroups = 2\nchassis = 1\nblades = 2\nnodes = 1\nblack = 4\ngreen = 3\n"
              "link_bandwidth = 1 MB/s, 2 MB/s, 3 MB/s, 4 MB/s\n") != SIMKIT_OK)
        fail_msg("%s", error.text);
    const netmodel_dragonfly_shape *fly = &machine->topology->dragonfly;
    assert_equal(fly->host_cable.bandwidth, 1e6);
    assert_equal(fly->green_cable.bandwidth, 2e6);
    assert_equal(fly->black_cable.bandwidth, 3e6);
    assert_equal(fly->blue_cable.bandwidth, 4e6);
    assert_int_equal(fly->blue, 1);
    assert_int_equal(fly->black, 4);
    assert_int_equal(fly->green, 3);
    if (parse("[network]\ntopology = clusters\nhosts = 2, 3\nlink_bandwidth = 1 MB/s, 2 MB/s\njoints = 2-1, 1-2\n"
              "joint_bandwidth = 3 MB/s, 4 MB/s\njoint_latency = 1 s\n") != SIMKIT_OK)
        fail_msg("%s", error.text);
    const netmodel_clusters_shape *clusters = &machine->topology->clusters;
    assert_equal(clusters->cluster[1].cable.bandwidth, 2e6);
    assert_int_equal(clusters->joints, 2);
    assert_int_equal(clusters->joint[0].from, 1);
    assert_int_equal(clusters->joint[0].to, 0);
    assert_equal(clusters->joint[1].cable.bandwidth, 4e6);
    assert_equal(clusters->joint[1].cable.latency, 1);
}

static void every_error_of_a_topology_has_its_place(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "topology = ring\n", "m:2:12: 'ring' is unknown, expected star, clusters, fat_tree, torus, mesh or dragonfly" },
        { "topology = star\ntopology = star\n", "m:3:1: duplicate key 'topology', first set in line 2" },
        { "topology = star\nhosts = 2\nhosts = 3\n", "m:4:1: duplicate key 'hosts', first set in line 3" },
        { "size = 4, 4\n", "m:2:1: 'size' is of a topology, but the network has none" },
        { "topology = star\n" LINKS, "m:2:12: topology star needs 'hosts'" },
        { "topology = star\nhosts = 4\n", "m:2:12: topology star needs 'link_bandwidth'" },
        { "topology = star\nhosts = 4, 5\n" LINKS, "m:3:1: 'hosts' has 2 values, expected 1" },
        { "topology = star\nhosts = 0\n" LINKS, "m:3:9: expected a whole number from 1 to 1000000" },
        { "topology = star\nhosts = 4\nsize = 3\n" LINKS,
          "m:4:1: topology star has no 'size', only hosts, link_bandwidth, link_latency, link_duplex, backbone_bandwidth, "
          "backbone_latency, backbone_duplex" },
        { "topology = star\nhosts = 4\nlink_bandwidth = 1 MB/s, 2 MB/s\n",
          "m:4:1: 'link_bandwidth' has 2 values, expected 1" },
        { "topology = star\nhosts = 4\nbackbone_latency = 1 s\n" LINKS,
          "m:4:1: 'backbone_latency' needs 'backbone_bandwidth'" },
        { "topology = torus\nsize = 4, 0\n" LINKS, "m:3:11: expected a whole number from 1 to 1000000" },
        { "topology = torus\nsize = 4, -4\n" LINKS, "m:3:11: expected a whole number from 1 to 1000000" },
        { "topology = torus\nsize = 4, 4.5\n" LINKS, "m:3:11: expected a whole number from 1 to 1000000" },
        { "topology = torus\nsize = 4,\n" LINKS, "m:3:10: expected a number >= 0" },
        { "topology = torus\nsize = 4 4\n" LINKS, "m:3:10: unknown unit '4', expected one of: none, %" },
        { "topology = torus\nsize = 4; 4\n" LINKS, "m:3:9: expected ',' between the values of a list, found ';'" },
        { "topology = torus\nsize = 4 ;4\n" LINKS, "m:3:10: expected ',' between the values of a list, found ';'" },
        { "topology = torus\nsize = 2, 2, 2, 2, 2, 2\n" LINKS, "m:3:1: 'size' has 6 values, expected at most 5" },
        { "topology = torus\nsize = 1000000, 1000000\n" LINKS,
          "m:2:12: topology torus: a topology must not have more than 2^30 hosts, switches or links" },
        { "topology = torus\nsize = 100000\n" LINKS,
          "m:2:12: topology torus: its longest route has 50000 links, expected at most 30000" },
        { "topology = mesh\nsize = 4, 4\nlink_bandwidth = -1 MB/s\n", "m:4:18: expected a number >= 0" },
        { "topology = mesh\nsize = 4, 4\nlink_bandwidth = 1 MB/s, 0 MB/s\n",
          "m:4:26: 'link_bandwidth' is less than 1 B/s" },
        { "topology = mesh\nsize = 4, 4\nlink_bandwidth = 1 s\n",
          "m:4:20: the unit is 's', expected one of: B/s, kB/s, MB/s, GB/s, Mbit/s, Gbit/s" },
        { "topology = mesh\nsize = 4, 4\nlink_duplex = 1, 3\n" LINKS, "m:4:18: expected a number from 1 to 2" },
        { "topology = mesh\nsize = 4, 4, 4\nlink_latency = 1 s, 2 s\nlink_bandwidth = 1 MB/s\n",
          "m:4:1: 'link_latency' has 2 values, expected 1 or 3: one for each dimension" },
        { "topology = fat_tree\ndown = 4, 4\n" LINKS, "m:2:12: topology fat_tree needs 'up'" },
        { "topology = fat_tree\nup = 1, 2\n" LINKS, "m:2:12: topology fat_tree needs 'down'" },
        { "topology = fat_tree\ndown = 4, 4\nup = 1\n" LINKS, "m:4:1: 'up' has 1 value, expected 2, as many as 'down'" },
        { "topology = fat_tree\ndown = 4\nup = 1\ncables = 1, 2\n" LINKS,
          "m:5:1: 'cables' has 2 values, expected 1, as many as 'down'" },
        { "topology = fat_tree\ndown = 2,2,2,2,2,2,2,2,2\nup = 1\n" LINKS, "m:3:1: 'down' has 9 values, expected at most 8" },
        { "topology = dragonfly\ngroups = 2\nchassis = 1\nblades = 2\n" LINKS, "m:2:12: topology dragonfly needs 'nodes'" },
        { "topology = dragonfly\ngroups = 3\nchassis = 1\nblades = 2\nnodes = 1\n" LINKS,
          "m:3:1: there are 3 groups, expected at most the 2 routers of a group" },
        { "topology = dragonfly\ngroups = 2\nchassis = 1\nblades = 2\nnodes = 1\nlink_bandwidth = 1 B/s, 1 B/s\n",
          "m:7:1: 'link_bandwidth' has 2 values, expected 1 or 4: of hosts, green, black and blue" },
        { "topology = clusters\nhosts = 1,1,1,1,1,1,1,1,1\n" LINKS, "m:3:1: 'hosts' has 9 values, expected at most 8" },
        { "topology = clusters\nhosts = 2, 2\n" LINKS, "m:2:12: topology clusters needs 'up_bandwidth'" },
        { "topology = clusters\nhosts = 2, 2\njoints = 1-2\n" LINKS, "m:2:12: topology clusters needs 'joint_bandwidth'" },
        { "topology = clusters\nhosts = 2, 2\njoints = 1\n" LINKS, "m:4:11: expected '-' between two clusters" },
        { "topology = clusters\nhosts = 2, 2\njoints = 1-9\n" LINKS, "m:4:12: expected the number of a cluster, from 1 to 8" },
        { "topology = clusters\nhosts = 2, 2\njoints = 1-3\njoint_bandwidth = 1 B/s\n" LINKS,
          "m:4:12: there is no cluster 3: 'hosts' has 2 values" },
        { "topology = clusters\nhosts = 2, 2\njoints = 1-2, 2-2\njoint_bandwidth = 1 B/s\n" LINKS,
          "m:4:17: a joint leads from cluster 2 to itself" },
        { "topology = clusters\nhosts = 2, 2, 2\njoints = 1-2\njoint_bandwidth = 1 B/s\n" LINKS,
          "m:4:1: no joint reaches cluster 3" },
        { "topology = clusters\nhosts = 2, 2\njoint_bandwidth = 1 B/s\n" LINKS, "m:4:1: 'joint_bandwidth' needs 'joints'" },
        { "topology = clusters\nhosts = 2, 2\nup_bandwidth = 1 B/s\njoints = 1-2\njoint_bandwidth = 1 B/s\n" LINKS,
          "m:4:1: 'up_bandwidth' is of clusters without joints" },
        { "topology = star\nhosts = 2\n" LINKS "[node a]\ncount = 3\n",
          "m:6:7: node 'a' would have place 3, but the topology has 2 hosts" },
        { "topology = star\nhosts = 2\n" LINKS "[node a]\n[node b]\nplace = 3\n",
          "m:8:9: node 'b' would have place 3, but the topology has 2 hosts" },
        { "latency = 1 s\n[node a]\nplace = 3\n", "m:4:9: node 'a' has a place, but the network has no topology" },
        { "topology = star\nhosts = 2\n" LINKS "[node a]\nplace = 0\n",
          "m:7:9: expected a whole number from 1 to 1000000" },
        { "window = 0 B\n", "m:2:10: 'window' is 0, expected a number > 0" },
        { "pair_duplex = 0.5\n", "m:2:15: expected a number from 1 to 2" },
        { "[node a]\nduplex = 2.5\n", "m:3:10: expected a number from 1 to 2" },
        { "speed = 3\n", "m:2:1: section [network] has no key 'speed', only latency, sharing, topology, window, pair_duplex, "
                         "and those of its topology" },
    };
    char text[400];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(text, sizeof text, "[network]\n%s", cases[i].text);
        assert_int_equal(parse(text), SIMKIT_BAD_FILE);
        assert_string_equal(error.text, cases[i].says);
        assert_null(machine);
    }
    /* More numbers than any topology has. */
    char *many = (char *)malloc(2000), *at = many + sprintf(many, "[network]\ntopology = torus\nsize = 1");
    assert_non_null(many);
    for (int i = 0; i < 300; ++i) at += sprintf(at, ",1");
    assert_int_equal(parse(many), SIMKIT_BAD_FILE);
    assert_string_equal(error.text, "m:3:520: the topology has more than 256 numbers");
    free(many);
}

/* Networks: links and routes. */
static const char joined[] = "[network]\nlatency = 1 ms\n[node a]\ncount = 2\nbandwidth = 10 MB/s\n[node b]\ncount = 2\n"
                             "[node c]\n"
                             "[link thin]\nbandwidth = 1 MB/s\nlatency = 5 ms\nduplex = 1\n"
                             "[link spur]\nbandwidth = 2 MB/s\n"
                             "[route a b]\nlinks = thin\n"
                             "[route c a0]\nlinks = spur,- thin\none_way = yes\n"
                             "[route a0 c]\nlinks = -spur\none_way = yes\n"
                             "[route b b]\nlinks = spur\n";

static void links_and_routes_are_read(void **state)
{
    (void)state;
    assert_int_equal(parse(joined), SIMKIT_BAD_FILE); /* '-' belongs to the name that follows */
    assert_string_equal(error.text, "m:18:15: expected the name of a link");
    char text[sizeof joined];
    strcpy(text, joined);
    memcpy(strstr(text, ",- thin"), ", -thin", 7);
    if (parse(text) != SIMKIT_OK) fail_msg("%s", error.text);
    assert_int_equal(machine->link_count, 2);
    assert_string_equal(machine->links[0].name, "thin");
    assert_equal(machine->links[0].bandwidth, 1e6);
    assert_equal(machine->links[0].latency, 5e-3);
    assert_equal(machine->links[0].duplex, 1);
    assert_equal(machine->links[1].latency, 0);
    assert_int_equal(machine->route_count, 4);
    const simkit_machine_route *route = machine->routes;
    assert_int_equal(route[0].from, 0);
    assert_int_equal(route[0].from_count, 2);
    assert_int_equal(route[0].to, 2);
    assert_int_equal(route[0].to_count, 2);
    assert_false(route[0].one_way);
    assert_int_equal(route[1].from, 4);
    assert_int_equal(route[1].from_count, 1);
    assert_int_equal(route[1].to_count, 1);
    assert_true(route[1].one_way);
    assert_int_equal(route[1].count, 2);
    assert_int_equal(machine->hops[route[1].first].link, 2);
    assert_false(machine->hops[route[1].first].back);
    assert_int_equal(machine->hops[route[1].first + 1].link, 1);
    assert_true(machine->hops[route[1].first + 1].back);

    simkit_world *world;
    simkit_node nodes[5];
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .latency = machine->latency }, &world), SIMKIT_OK);
    assert_int_equal(simkit_link_add(world, NULL, NULL), SIMKIT_OK); /* one of the program's own */
    assert_int_equal(simkit_machine_add(world, machine, 5, nodes), SIMKIT_OK);
    assert_int_equal(simkit_link_count(world), 3);
    assert_string_equal(simkit_link_name(world, 2), "thin");
    assert_close(takes(world, nodes[0], nodes[1], 1e6), 1e-3 + 0.1, 1e-9); /* without a route: the switch */
    assert_close(takes(world, nodes[0], nodes[2], 1e6), 6e-3 + 1, 1e-9);
    assert_close(takes(world, nodes[3], nodes[1], 1e6), 6e-3 + 1, 1e-9);
    assert_close(takes(world, nodes[4], nodes[0], 1e6), 6e-3 + 1, 1e-9);
    assert_close(takes(world, nodes[0], nodes[4], 1e6), 1e-3 + 0.5, 1e-9);
    assert_close(takes(world, nodes[4], nodes[1], 1e6), 1e-3 + 0.1, 1e-9);
    assert_close(takes(world, nodes[2], nodes[3], 1e6), 1e-3 + 0.5, 1e-9);
    assert_close(takes(world, nodes[3], nodes[2], 1e6), 1e-3 + 0.5, 1e-9);
    simkit_world_close(world);
    /* A route with a node that is not there does not count. */
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 3, nodes), SIMKIT_OK);
    assert_close(takes(world, nodes[0], nodes[2], 1e6), 5e-3 + 1, 1e-9);
    simkit_world_close(world);
    /* Nodes that were added otherwise. */
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    for (int i = 0; i < 5; ++i) assert_int_equal(simkit_node_add(world, NULL, &nodes[4 - i]), SIMKIT_OK);
    assert_int_equal(simkit_machine_connect(world, machine, 5, nodes), SIMKIT_OK);
    assert_close(takes(world, nodes[0], nodes[2], 1e6), 5e-3 + 1, 1e-9);
    assert_int_equal(simkit_machine_connect(world, machine, 5, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_machine_connect(world, NULL, 5, nodes), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_machine_connect(NULL, machine, 5, nodes), SIMKIT_BAD_ARGUMENT);
    simkit_machine bad = *machine;
    bad.hop_count = 1;
    assert_int_equal(simkit_machine_connect(world, &bad, 5, nodes), SIMKIT_BAD_ARGUMENT);
    assert_string_equal(simkit_world_why(world), "at 1.005 s: a route of a machine has links that the machine does not have");
    simkit_world_close(world);
}

/* Links that follow tables: one once, one again and again, one not at all. */
static void links_follow_tables_of_the_file(void **state)
{
    simkit_world *world;
    simkit_node nodes[2];
    (void)state;
    if (parse("[node a]\n[node b]\n"
              "[link plain]\nbandwidth = 8 MB/s\n"
              "[link night]\nperiod = 4 s\nbandwidth = 4 MB/s\nfollows = 1 s: 1 MB/s, 3 s : 4 MB/s\n"
              "[link once]\nfollows = 10 s: 0 B/s , 20 s: 2 MB/s\n"
              "[route a b]\nlinks = plain, night\none_way = yes\n[route b a]\nlinks = once\none_way = yes\n") != SIMKIT_OK)
        fail_msg("%s", error.text);
    assert_int_equal(machine->point_count, 4);
    assert_int_equal(machine->links[0].count, 0);
    assert_int_equal(machine->links[1].first, 0);
    assert_int_equal(machine->links[1].count, 2);
    assert_equal(machine->links[1].period, 4);
    assert_int_equal(machine->links[2].first, 2);
    assert_int_equal(machine->links[2].count, 2);
    assert_equal(machine->links[2].period, 0);
    assert_equal(machine->points[1].time, 3);
    assert_equal(machine->points[1].bandwidth, 4e6);
    assert_equal(machine->points[2].bandwidth, 0);
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 2, nodes), SIMKIT_OK);
    assert_close(takes(world, nodes[0], nodes[1], 6e6), 3, 1e-9);  /* 4 MB in the first second, then 1 MB/s */
    assert_close(takes(world, nodes[0], nodes[1], 20e6), 8, 1e-9); /* two more rounds of 2 s and 2 s */
    assert_int_equal(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = nodes[1], .to = nodes[0] }, NULL),
                     SIMKIT_LINK_FAILED);
    assert_int_equal(simkit_world_run_until(world, 20), SIMKIT_OK);
    assert_close(takes(world, nodes[1], nodes[0], 6e6), 3, 1e-9);
    simkit_world_close(world);
    simkit_machine bad = *machine;
    bad.point_count = 3;
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, &bad, 2, nodes), SIMKIT_BAD_ARGUMENT);
    assert_string_equal(simkit_world_why(world), "at 0 s: a link of a machine follows a table that the machine does not have");
    simkit_world_close(world);
}

static void every_error_of_a_route_has_its_place(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "[link]\n", "m:5:6: expected the name of a link" },
        { "[link -a]\n", "m:5:7: the name of a link begins with '-', which a route has for its way back" },
        { "[link l]\n", "m:5:7: duplicate link 'l'" },
        { "[link k]\nbandwidth = 0 MB/s\n", "m:6:13: 'bandwidth' is 0, expected a number > 0" },
        { "[link k]\nbandwidth = -1 MB/s\n", "m:6:13: expected a number >= 0" },
        { "[link k]\nlatency = 1 B\n", "m:6:13: the unit is 'B', expected one of: s, ms, us, ns, min, h" },
        { "[link k]\nduplex = 0\n", "m:6:10: expected a number from 1 to 2" },
        { "[link k]\nspeed = 1\n", "m:6:1: section [link] has no key 'speed', only bandwidth, latency, duplex, follows, period" },
        { "[link k]\nfollows = 1 s\n", "m:6:14: expected ':', and the bandwidth from then on" },
        { "[link k]\nfollows = 1 MB: 1 MB/s\n", "m:6:13: the unit is 'MB', expected one of: s, ms, us, ns, min, h" },
        { "[link k]\nfollows = 1 s: 1 MB\n",
          "m:6:18: the unit is 'MB', expected one of: B/s, kB/s, MB/s, GB/s, Mbit/s, Gbit/s" },
        { "[link k]\nfollows = 1 s: 1 MB/s, 1 s: 2 MB/s\n", "m:6:24: expected a later time than the one before it" },
        { "[link k]\nfollows = 1 s: 1 MB/s,\n", "m:6:23: expected a number >= 0" },
        { "[link k]\nperiod = 0 s\n", "m:6:10: 'period' is 0, expected a number > 0" },
        { "[link k]\nperiod = 1 s\n", "m:6:10: the link has a period, but 'follows' nothing" },
        { "[link k]\nperiod = 4 s\nfollows = 1 s: 1 MB/s, 5 s: 2 MB/s\n[route a b]\nlinks = k\n",
          "m:6:10: the period must be longer than from the first time that the link 'follows' to the last" },
        { "[link k]\nlatency = 1 s\nlatency = 1 s\n", "m:7:1: duplicate key 'latency', first set in line 6" },
        { "[route]\n", "m:5:7: expected the name of a node, or of a kind of nodes" },
        { "[route a0]\n", "m:5:10: expected the name of a node, or of a kind of nodes" },
        { "[route a0 d]\n", "m:5:11: there is no node 'd' above, and no kind of nodes" },
        { "[route a0 a2]\n", "m:5:11: there is no node 'a2' above, and no kind of nodes" },
        { "[route b b]\nlinks = l\n", "m:5:8: the route leads from a node to itself" },
        { "[route a b]\n", "m:5:8: the route has no 'links'" },
        { "[route a b]\none_way = yes\n[node c]\n", "m:5:8: the route has no 'links'" },
        { "[route a b]\nlinks = k\n", "m:6:9: there is no link 'k' above" },
        { "[route a b]\nlinks = l, -k\n", "m:6:12: there is no link 'k' above" },
        { "[route a b]\nlinks = l, -l\n", "m:6:12: the route crosses link 'l' twice" },
        { "[route a b]\nlinks = l,\n", "m:6:11: expected the name of a link" },
        { "[route a b]\nlinks = l l\n", "m:6:11: expected the end of the line" },
        { "[route a b]\nlinks = l\nlinks = l\n", "m:7:1: duplicate key 'links', first set in line 6" },
        { "[route a b]\nlinks = l\none_way = maybe\n", "m:7:11: 'maybe' is unknown, expected no or yes" },
        { "[route a b]\nlinks = l\nlatency = 1 s\n", "m:7:1: section [route] has no key 'latency', only links, one_way, direct" },
        { "[route a b]\nlinks = l\n[route a b]\nlinks = l\n", "m:7:8: this route is set in line 5" },
        { "[route a b]\nlinks = l\n[route b a]\nlinks = l\none_way = yes\n",
          "m:7:8: this route is set in line 5, as the way back of that one: say 'one_way = yes' there" },
        { "[route a b]\nlinks = l\none_way = yes\n[route b a]\nlinks = l\n",
          "m:8:8: the way back of this route is set in line 5" },
    };
    char text[3000];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(text, sizeof text, "[node a]\ncount = 2\n[node b]\n[link l]\n%s", cases[i].text);
        assert_int_equal(parse(text), SIMKIT_BAD_FILE);
        assert_string_equal(error.text, cases[i].says);
        assert_null(machine);
    }
    char *at = text;
    for (int i = 0; i < 65; ++i) at += sprintf(at, "[link l%d]\n", i);
    at += sprintf(at, "[node a]\n[node b]\n[route a b]\nlinks = l0");
    for (int i = 1; i < 64; ++i) at += sprintf(at, ",l%d", i);
    assert_int_equal(parse(text), SIMKIT_OK);
    assert_int_equal(machine->hop_count, 64);
    strcat(text, ",l64");
    assert_int_equal(parse(text), SIMKIT_BAD_FILE);
    assert_string_equal(error.text, "m:69:255: the route has more than 64 links");
}

/* Without a count there are as many as hosts. */
static void nodes_of_a_topology_have_numbers(void **state)
{
    char name[32];
    (void)state;
    assert_int_equal(parse("[network]\ntopology = star\nhosts = 3\nlink_bandwidth = 1 MB/s\n[node n]\n"), SIMKIT_OK);
    assert_int_equal(machine->nodes, 3);
    assert_string_equal(simkit_machine_node(machine, 0, name).name, "n0");
    assert_string_equal(simkit_machine_node(machine, 2, name).name, "n2");
    assert_int_equal(simkit_machine_node(machine, 2, name).place, 3);
}

/* A ninth node of two clusters of four would reach all others by the switch, past the thin link. */
static void routes_are_for_the_nodes_of_the_file(void **state)
{
    simkit_world *world;
    simkit_node nodes[5];
    (void)state;
    assert_int_equal(parse("[node a]\ncount = 2\n[node b]\ncount = 2\n[link l]\n[route a b]\nlinks = l\n"), SIMKIT_OK);
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 5, nodes), SIMKIT_BAD_ARGUMENT);
    assert_string_equal(simkit_world_why(world),
                        "at 0 s: 5 nodes are asked for, but the machine has 4: its routes do not lead to more");
    assert_int_equal(simkit_node_count(world), 0);
    assert_int_equal(simkit_machine_connect(world, machine, 5, nodes), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_link_count(world), 0);
    assert_int_equal(simkit_machine_add(world, machine, 4, nodes), SIMKIT_OK);
    simkit_world_close(world);
}

/* What is between two nodes of a machine with a topology, by hand. A program that knows nothing of networks opens the
 * world. */
static void a_topology_becomes_a_world(void **state)
{
    static const char text[] = "[network]\nlatency = 1 ms\ntopology = clusters\nhosts = 2, 2\nlink_bandwidth = 10 MB/s\n"
                               "link_latency = 1 ms\njoints = 1-2\njoint_bandwidth = 1 MB/s\njoint_latency = 10 ms\n"
                               "[node a]\ncount = 2\n[node b]\nbandwidth = 5 MB/s\n[node c]\nplace = 3\n"
                               "[pair a0 b]\nlatency = 7 ms\n[pair b a0]\nbandwidth = 0.5 MB/s\n";
    simkit_world *world;
    simkit_node nodes[5];
    char name[32];
    (void)state;
    if (parse(text) != SIMKIT_OK) fail_msg("%s", error.text);
    assert_int_equal(machine->nodes, 4);
    for (unsigned i = 0; i < 3; ++i) assert_int_equal(simkit_machine_node(machine, i, name).place, i + 1);
    assert_int_equal(simkit_machine_node(machine, 3, name).place, 3);
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .latency = machine->latency }, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 4, nodes), SIMKIT_OK);
    assert_int_equal(simkit_link_count(world), 5);
    assert_close(takes(world, nodes[0], nodes[1], 1e6), 3e-3 + 0.1, 1e-9);
    assert_close(takes(world, nodes[1], nodes[2], 1e6), 13e-3 + 1, 1e-9);
    assert_close(takes(world, nodes[1], nodes[3], 1e6), 13e-3 + 1, 1e-9);
    assert_close(takes(world, nodes[0], nodes[2], 1e6), 7e-3 + 1, 1e-9);    /* its own latency, the joint's bandwidth */
    assert_close(takes(world, nodes[2], nodes[0], 1e6), 13e-3 + 2, 1e-9); /* its own bandwidth, the route's latency */
    simkit_world_close(world);

    /* The program's own topology stays; a world with nodes or links does not get one. */
    const netmodel_topology star = { .kind = NETMODEL_TOPOLOGY_STAR,
                                     .star = { .hosts = 4, .cable = { .bandwidth = 1e6 } } };
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .topology = &star, .window = 1 }, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 4, nodes), SIMKIT_OK);
    assert_int_equal(simkit_link_count(world), 4);
    simkit_world_close(world);
    for (int links = 0; links < 2; ++links) {
        assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
        assert_int_equal(links ? simkit_link_add(world, NULL, NULL) : simkit_node_add(world, NULL, nodes), SIMKIT_OK);
        assert_int_equal(simkit_machine_add(world, machine, 4, nodes), SIMKIT_BAD_ARGUMENT);
        assert_string_equal(simkit_world_why(world), "at 0 s: the machine has a topology, but the world has nodes or links "
                                                     "without one");
        assert_int_equal(simkit_node_count(world), links ? 0 : 1);
        simkit_world_close(world);
    }
    simkit_machine wrong = *machine;
    netmodel_topology none = star;
    none.star.hosts = 0;
    wrong.topology = &none;
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, &wrong, 4, nodes), SIMKIT_BAD_TOPOLOGY);
    assert_string_equal(simkit_world_why(world), "at 0 s: the topology is impossible: hosts, children, parents, lengths, "
                                                 "groups, chassis, blades and nodes must be >= 1");
    simkit_world_close(world);
    /* More nodes than hosts. */
    assert_int_equal(parse("[network]\ntopology = star\nhosts = 3\nlink_bandwidth = 1 MB/s\n[node]\nplace = 2\n"), SIMKIT_OK);
    assert_int_equal(machine->nodes, 2);
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 3, nodes), SIMKIT_BAD_ARGUMENT);
    assert_string_equal(simkit_world_why(world), "at 0 s: node 3 would have place 4, but the topology has 3 hosts");
    simkit_world_close(world);
    /* Containers share the host of their computer. */
    assert_int_equal(parse("[network]\ntopology = star\nhosts = 3\nlink_bandwidth = 1 MB/s\n[node a]\ncount = 5\nhosts = 2\n"
                           "[node b]\n"),
                     SIMKIT_OK);
    for (unsigned i = 0; i < 5; ++i) assert_int_equal(simkit_machine_node(machine, i, name).place, i % 2 + 1);
    assert_int_equal(simkit_machine_node(machine, 5, name).place, 3);
    /* Window and duplex of pairs. */
    assert_int_equal(parse("[network]\nlatency = 10 ms\nwindow = 20 kB\npair_duplex = 1\n[node]\nbandwidth = 10 MB/s\n"),
                     SIMKIT_OK);
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .latency = machine->latency }, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 2, nodes), SIMKIT_OK);
    assert_close(takes(world, nodes[0], nodes[1], 1e6), 10e-3 + 1, 1e-9); /* 20 kB in 20 ms */
    simkit_world_close(world);
    assert_int_equal(parse("[network]\npair_duplex = 1\n[node]\nbandwidth = 1 MB/s\n"), SIMKIT_OK);
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 2, nodes), SIMKIT_OK);
    const simkit_transfer_desc back = { .from = nodes[1], .to = nodes[0], .bytes = 1e6 };
    assert_int_equal(simkit_transfer_start(world, &back, NULL), SIMKIT_OK);
    assert_close(takes(world, nodes[0], nodes[1], 1e6), 2, 1e-9);
    simkit_world_close(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topologies_are_read),
        cmocka_unit_test(cables_have_their_values),
        cmocka_unit_test(every_error_of_a_topology_has_its_place),
        cmocka_unit_test(links_and_routes_are_read),
        cmocka_unit_test(links_follow_tables_of_the_file),
        cmocka_unit_test(every_error_of_a_route_has_its_place),
        cmocka_unit_test(nodes_of_a_topology_have_numbers),
        cmocka_unit_test(routes_are_for_the_nodes_of_the_file),
        cmocka_unit_test(a_topology_becomes_a_world),
    };
    return cmocka_run_group_tests(tests, NULL, close_machine);
}
