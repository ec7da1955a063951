// The routes of netmodel.h's topologies against those of SimGrid, link by link, with bandwidths and latencies. One topology a
// process, because SimGrid numbers the hosts and links of all fat trees and dragonflies in one sequence. tests/networks/routes
// says which:
//
//     routes torus SIZE,SIZE,...
//     routes tree DOWN,DOWN,... UP,UP,... COUNT,COUNT,...
//     routes dragonfly GROUPS,BLUE,CHASSIS,BLACK,BLADES,GREEN,NODES
//
// Prints what differs first and how many routes agree; 0 if all do. SimGrid 3.32 makes a mistake in dragonflies: between two
// blades of one group, from any chassis but the first, its second link does not begin where the first ends. Those routes are
// counted apart, and all others have to agree.
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"

#include <simgrid/s4u.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace sg = simgrid::s4u;

static std::vector<unsigned> numbers(const char *text)
{
    std::vector<unsigned> list;
    for (char *end; *text; text = *end ? end + 1 : end)
        list.push_back(static_cast<unsigned>(std::strtoul(text, &end, 10)));
    return list;
}

using points = std::pair<simgrid::kernel::routing::NetPoint *, simgrid::kernel::routing::NetPoint *>;

static points leaf(sg::NetZone *zone, const std::vector<unsigned long> &, unsigned long id)
{
    return { zone->create_host(std::to_string(id), 1e9)->seal()->get_netpoint(), nullptr };
}

static const netmodel_cable cable = { 1e8, 1e-6, 0 };

// The same topology twice.
static sg::NetZone *build(const sg::NetZone *root, int count, char **word, netmodel_topology *topology)
{
    const sg::ClusterCallbacks leaves(leaf);
    const sg::Link::SharingPolicy duplex = sg::Link::SharingPolicy::SPLITDUPLEX;
    const std::string kind = word[0];
    std::memset(topology, 0, sizeof *topology);
    if (kind == "torus" && count == 2) {
        const std::vector<unsigned> size = numbers(word[1]);
        topology->kind = NETMODEL_TOPOLOGY_TORUS;
        topology->grid.dimensions = size.size();
        for (size_t j = 0; j < size.size(); ++j) topology->grid.size[j] = size[j];
        topology->grid.cable[0] = cable;
        return sg::create_torus_zone("t", root, { size.begin(), size.end() }, leaves, cable.bandwidth, cable.latency,
                                     duplex);
    }
    if (kind == "tree" && count == 4) {
        const std::vector<unsigned> down = numbers(word[1]), up = numbers(word[2]), parallel = numbers(word[3]);
        topology->kind = NETMODEL_TOPOLOGY_FAT_TREE;
        topology->tree.levels = down.size();
        for (size_t i = 0; i < down.size(); ++i) {
            topology->tree.down[i] = down[i];
            topology->tree.up[i] = up.at(i);
            topology->tree.count[i] = parallel.at(i);
        }
        topology->tree.cable[0] = cable;
        return sg::create_fatTree_zone("t", root, { static_cast<unsigned>(down.size()), down, up, parallel }, leaves,
                                       cable.bandwidth, cable.latency, duplex);
    }
    const std::vector<unsigned> n = numbers(word[count - 1]);
    if (kind != "dragonfly" || count != 2 || n.size() != 7) return nullptr;
    topology->kind = NETMODEL_TOPOLOGY_DRAGONFLY;
    topology->dragonfly.groups = n[0];
    topology->dragonfly.blue = n[1];
    topology->dragonfly.chassis = n[2];
    topology->dragonfly.black = n[3];
    topology->dragonfly.blades = n[4];
    topology->dragonfly.green = n[5];
    topology->dragonfly.nodes = n[6];
    topology->dragonfly.host_cable = cable;
    return sg::create_dragonfly_zone("t", root, { { n[0], n[1] }, { n[2], n[3] }, { n[4], n[5] }, n[6] }, leaves,
                                     cable.bandwidth, cable.latency, duplex);
}

// SimGrid's name of one of our channels, as far as it tells one link from another: of a torus the two ends, otherwise the
// number of the link. Its numbers differ from ours in fat trees: the cables of a parent come one after another.
static std::string name_of(const netmodel_topology &t, size_t channel)
{
    const char *direction = channel % 2 == 0 ? "_UP" : "_DOWN";
    size_t link = channel / 2;
    netmodel_place end[2];
    if (!netmodel_topology_link_ends(&t, link, end)) return "unknown link";
    if (t.kind == NETMODEL_TOPOLOGY_TORUS)
        return "t_link_from_" + std::to_string(end[0].number) + "_to_" + std::to_string(end[1].number) + direction;
    if (t.kind == NETMODEL_TOPOLOGY_FAT_TREE) {
        size_t first = 0;
        for (size_t i = 0; i < end[0].level; ++i)
            first += netmodel_topology_places(&t, i) * t.tree.up[i] * t.tree.count[i];
        const size_t up = t.tree.up[end[0].level], count = t.tree.count[end[0].level];
        const size_t child = (link - first) / (up * count), port = (link - first) % (up * count);
        link = first + (child * up + port % up) * count + port / up;
    }
    return "_" + std::to_string(link) + direction;
}

static bool ends_with(const std::string &text, const std::string &end)
{
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

int main(int argc, char **argv)
{
    sg::Engine engine(&argc, argv);
    const sg::NetZone *root = sg::create_full_zone("root");
    netmodel_topology t;
    sg::NetZone *zone = argc > 2 ? build(root, argc - 1, argv + 1, &t) : nullptr;
    size_t where, routes = 0, differ = 0, apart = 0;
    if (!zone) return std::fprintf(stderr, "see the beginning of tests/networks/routes.cpp\n"), 2;
    zone->seal();

    const netmodel_result result = netmodel_topology_check(&t, &where);
    if (result != NETMODEL_OK) return std::printf("%s (%zu)\n", netmodel_result_text(result), where), 1;
    const size_t hosts = netmodel_topology_hosts(&t), room = netmodel_topology_hops_max(&t);
    if (hosts != engine.get_host_count())
        return std::printf("%zu hosts, SimGrid %zu\n", hosts, engine.get_host_count()), 1;

    std::vector<size_t> channel(room + 1);
    for (size_t from = 0; from < hosts; ++from)
        for (size_t to = 0; to < hosts; ++to) {
            std::vector<sg::Link *> theirs;
            double latency = 0, sum = 0;
            if (from == to) continue; // SimGrid goes up and down again where there is no loopback
            sg::Host::by_name(std::to_string(from))->route_to(sg::Host::by_name(std::to_string(to)), theirs, &latency);
            const size_t count = netmodel_topology_route(&t, from, to, channel.data(), room);
            bool same = count == theirs.size();
            for (size_t i = 0; same && i < count; ++i) {
                const netmodel_cable own = netmodel_topology_link(&t, channel[i] / 2);
                same = ends_with(theirs[i]->get_name(), name_of(t, channel[i])) &&
                       own.bandwidth == theirs[i]->get_bandwidth() && own.latency == theirs[i]->get_latency();
                sum += own.latency;
            }
            same = same && std::fabs(sum - latency) < 1e-12;
            ++routes;
            if (same) continue;
            const size_t router[] = { from / (t.dragonfly.nodes + !t.dragonfly.nodes),
                                      to / (t.dragonfly.nodes + !t.dragonfly.nodes) };
            const size_t blades = t.dragonfly.blades, group = blades * t.dragonfly.chassis;
            if (t.kind == NETMODEL_TOPOLOGY_DRAGONFLY && router[0] / group == router[1] / group &&
                router[0] % group >= blades && router[0] % blades != router[1] % blades) {
                ++apart;
                continue;
            }
            if (differ++ > 0) continue;
            std::printf("from %zu to %zu\n   ", from, to);
            for (size_t i = 0; i < count; ++i) std::printf(" %s", name_of(t, channel[i]).c_str());
            std::printf("\n   ");
            for (const sg::Link *link : theirs) std::printf(" %s", link->get_cname());
            std::printf("\n");
        }
    std::printf("%zu routes, %zu differ", routes, differ);
    if (apart > 0) std::printf(", %zu more in which SimGrid's links are not connected", apart);
    std::printf("\n");
    return differ > 0;
}
