// The rows of networks for SimGrid; see tests/bench/networks.h. PROGRAM ROW N. CM02 weights a transfer by the inverse of
// its route's latency, so links have none unless the row says so. Also: PROGRAM ROW N OPTIM with Full or Lazy.
#include "../networks.h"
#include "simgrid.hpp"

#include <cstdlib>
#include <cstring>

using Direction = sg::LinkInRoute::Direction;

static std::pair<simgrid::kernel::routing::NetPoint *, simgrid::kernel::routing::NetPoint *>
leaf(sg::NetZone *zone, const std::vector<unsigned long> &, unsigned long)
{
    hosts.push_back(zone->create_host("h" + std::to_string(hosts.size()), "1Gf")->seal());
    return { hosts.back()->get_netpoint(), nullptr };
}

// A cable between two places: two links, or one that both directions share.
struct Cable {
    sg::Link *link;
    bool shared;
    Cable(sg::NetZone *zone, const std::string &name, double bandwidth, double latency, bool is_shared)
        : shared(is_shared)
    {
        link = shared ? zone->create_link(name, bandwidth)->set_latency(latency)->seal()
                      : zone->create_split_duplex_link(name, bandwidth)->set_latency(latency)->seal();
    }
    sg::LinkInRoute forth() const
    {
        return { link, shared ? Direction::NONE : Direction::UP };
    }
    void change(double bandwidth) const
    {
        const auto *pair = dynamic_cast<sg::SplitDuplexLink *>(link);
        for (auto *one : pair ? std::vector{ pair->get_link_up(), pair->get_link_down() } : std::vector{ link })
            one->set_bandwidth(bandwidth);
    }
    sg::LinkInRoute back() const
    {
        return { link, shared ? Direction::NONE : Direction::DOWN };
    }
};

static std::vector<Cable> host_cables; // where they may change

// SimGrid has no mesh: every route is written out, the first dimension first.
static void mesh(const work_network &n, double latency, bool shared)
{
    auto *zone = sg::create_full_zone("mesh");
    std::vector<std::vector<Cable>> cables(n.hosts); // of each host to its next in each dimension, or to nobody
    for (unsigned i = 0; i < n.hosts; ++i) leaf(zone, {}, i);
    for (unsigned i = 0; i < n.hosts; ++i)
        for (unsigned d = 0; d < n.levels; ++d)
            cables[i].emplace_back(zone, "l" + std::to_string(i) + "." + std::to_string(d), WORK_BANDWIDTH, latency,
                                   shared);
    for (unsigned i = 0; i < n.hosts; ++i)
        for (unsigned j = 0; j < n.hosts; ++j) {
            std::vector<sg::LinkInRoute> route;
            unsigned at = i, stride = 1;
            for (unsigned d = 0; d < n.levels; stride *= n.down[d++]) {
                const unsigned goal = j / stride % n.down[d];
                for (; at / stride % n.down[d] < goal; at += stride) route.push_back(cables[at][d].forth());
                for (; at / stride % n.down[d] > goal; at -= stride) route.push_back(cables[at - stride][d].back());
            }
            if (i != j)
                zone->add_route(hosts[i]->get_netpoint(), hosts[j]->get_netpoint(), nullptr, nullptr, route, false);
        }
    zone->seal();
}

// Hosts around a switch that passes so much in all. (A route through the star crosses the switch once.)
static void star(const work_network &n, double latency, bool shared)
{
    auto *zone = sg::create_star_zone("star");
    const Cable inside(zone, "switch", n.cables[0] * WORK_BANDWIDTH, latency, true);
    for (unsigned i = 0; i < n.hosts; ++i) {
        leaf(zone, {}, i);
        host_cables.emplace_back(zone, "l" + std::to_string(i), WORK_BANDWIDTH, latency, shared);
        const auto up = host_cables.back().forth();
        zone->add_route(hosts[i]->get_netpoint(), nullptr, nullptr, nullptr, { up, inside.forth() }, true);
    }
    zone->seal();
}

// Stars whose switches each have a cable to one backbone, or to the next star.
static void clusters(const work_network &n, double latency, bool shared)
{
    auto *root = sg::create_full_zone("clusters");
    std::vector<sg::NetZone *> stars;
    std::vector<simgrid::kernel::routing::NetPoint *> routers;
    std::vector<Cable> cables;
    for (unsigned c = 0; c < n.down[0]; ++c) {
        auto *star = sg::create_star_zone("star" + std::to_string(c));
        star->set_parent(root);
        for (unsigned i = 0; i < n.down[1]; ++i) {
            leaf(star, {}, i);
            host_cables.emplace_back(star, "l" + std::to_string(hosts.size()), WORK_BANDWIDTH, latency, shared);
            const auto up = host_cables.back().forth();
            star->add_route(hosts.back()->get_netpoint(), nullptr, nullptr, nullptr, { up }, true);
        }
        routers.push_back(star->create_router("r" + std::to_string(c)));
        star->seal();
        stars.push_back(star);
        cables.emplace_back(root, "b" + std::to_string(c),
                            (n.kind == WORK_JOINED ? n.cables[c] + (n.cables[c] == 0) : n.cables[0]) * WORK_BANDWIDTH,
                            latency, shared);
    }
    for (unsigned a = 0; a < n.down[0]; ++a)
        for (unsigned b = 0; b < n.down[0]; ++b) {
            std::vector<sg::LinkInRoute> route;
            if (n.kind == WORK_CLUSTERS)
                route = { cables[a].forth(), cables[b].back() };
            else if (a < b)
                for (unsigned c = a; c < b; ++c) route.push_back(cables[c].forth());
            else
                for (unsigned c = a; c-- > b;) route.push_back(cables[c].back());
            if (a != b)
                root->add_route(stars[a]->get_netpoint(), stars[b]->get_netpoint(), routers[a], routers[b], route,
                                false);
        }
    root->seal();
}

static std::vector<sg::Link *> route(unsigned from, unsigned to)
{
    std::vector<sg::Link *> links;
    hosts[from]->route_to(hosts[to], links, nullptr);
    return links;
}

// SimGrid 3.32 takes an impossible way between two blades of one group from any chassis but the first: after the link to
// the other blade it goes on as if in the first chassis. These routes are replaced: to the other blade within the chassis,
// then to the other chassis.
static void repair(sg::NetZone *fly, const work_network &n)
{
    const unsigned blade = n.down[3], chassis = n.down[2] * blade, group = n.down[1] * chassis;
    for (unsigned i = 0; i < n.hosts; ++i)
        for (unsigned j = 0; j < n.hosts; ++j) {
            if (i / group != j / group || i % group < chassis || i % chassis / blade == j % chassis / blade) continue;
            const unsigned turn = i - i % chassis + j % chassis; // has the sender's chassis, the receiver's blade
            const auto first = route(i, turn), last = route(turn, j);
            std::vector<sg::LinkInRoute> links{ sg::LinkInRoute(first[0]), sg::LinkInRoute(first[1]) };
            if (turn != j) links.emplace_back(last[1]);
            links.emplace_back(turn == j ? first.back() : last.back());
            fly->add_bypass_route(hosts[i]->get_netpoint(), hosts[j]->get_netpoint(), nullptr, nullptr, links);
        }
}

static void build(const work_network &n, double latency, bool shared)
{
    const sg::ClusterCallbacks leaves(leaf);
    const auto policy = shared ? sg::Link::SharingPolicy::SHARED : sg::Link::SharingPolicy::SPLITDUPLEX;
    switch (n.kind) {
    case WORK_FAT_TREE: {
        const auto values = [&](const unsigned *first) { return std::vector<unsigned>(first, first + n.levels); };
        const sg::FatTreeParams tree(n.levels, values(n.down), values(n.up), values(n.cables));
        sg::create_fatTree_zone("tree", nullptr, tree, leaves, WORK_BANDWIDTH, latency, policy)->seal();
        break;
    }
    case WORK_TORUS: {
        const std::vector<unsigned long> extents(n.down, n.down + n.levels);
        sg::create_torus_zone("torus", nullptr, extents, leaves, WORK_BANDWIDTH, latency, policy)->seal();
        break;
    }
    case WORK_DRAGONFLY: {
        const sg::DragonflyParams fly({ n.down[0], n.cables[0] }, { n.down[1], n.cables[1] },
                                      { n.down[2], n.cables[2] }, n.down[3]);
        repair(sg::create_dragonfly_zone("fly", nullptr, fly, leaves, WORK_BANDWIDTH, latency, policy)->seal(), n);
        break;
    }
    case WORK_MESH: mesh(n, latency, shared); break;
    case WORK_STAR: star(n, latency, shared); break;
    case WORK_CLUSTERS:
    case WORK_JOINED: clusters(n, latency, shared); break;
    }
}

// A transfer with a rate limit. sendto() forgets the limit, so this takes two actors and a mailbox.
static sg::ActorPtr send_limited(const work_transfer &t)
{
    static int payload;
    auto *mailbox = sg::Mailbox::by_name(std::to_string(t.from) + " " + std::to_string(t.to));
    sg::Actor::create("receiver", hosts[t.to], [mailbox] { mailbox->get<int>(); });
    return sg::Actor::create("sender", hosts[t.from], [mailbox, t] {
        mailbox->put_init(&payload, uint64_t(t.bytes))->set_rate(t.limit)->wait();
        sum_of_ends += sg::Engine::get_clock();
    });
}

int main(int argc, char **argv)
{
    const char *row = argv[1];
    const unsigned n = unsigned(std::strtoul(argv[2], nullptr, 10));
    // Lazy is faster in some rows. In 3.32, when two transfers have paid their latency at the same moment and share their
    // first link, it overlooks the other links of the second: three transfers of 1e8 B, A over L1 and X, B over L1 and L2, C
    // over L2, links of 1e8 B/s and 1 ms, all started at 0, must end at 1.5025, 2.002 and 1.5005 s, as with Full. With Lazy
    // C ends at 1.001 s: L2 carries 1.5 times its bandwidth.
    const bool lazy =
        !work_weighted(row) && !work_option(row, "all") && std::strncmp(row, "torus-permutation", 17) != 0;
    const std::string optim = argc > 3 ? argv[3] : lazy ? "Lazy" : "Full";
    const work_network *network = work_network_of(row, n);
    size_t count = 0;
    const work_transfer *list = network ? work_transfers(row, network, &count) : nullptr;
    if (!list || work_option(row, "equal")) return 2;
    Quiet quiet(argv[0]);
    sg::Engine e(&quiet.count, quiet.arguments);
    configure(optim, work_option(row, "window") ? WORK_WINDOW : 0);
    build(*network, work_weighted(row) ? WORK_LINK_LATENCY : 0, work_option(row, "shared"));
    sg::Actor::create("starter", hosts[0], [=] {
        std::vector<sg::CommPtr> all;
        std::vector<sg::ActorPtr> limited;
        for (size_t i = 0; i < count; ++i) {
            const auto &t = list[i];
            if (t.limit > 0)
                limited.push_back(send_limited(t));
            else
                all.push_back(sg::Comm::sendto_async(hosts[t.from], hosts[t.to], uint64_t(t.bytes)));
            if (i + 1 < count && list[i + 1].round == t.round) continue;
            sg::Comm::wait_all(all);
            for (const auto &comm : all) sum_of_ends += comm->get_finish_time();
            for (const auto &sender : limited) sender->join();
            all.clear();
            limited.clear();
        }
    });
    if (work_option(row, "change"))
        sg::Actor::create("changer", hosts[0], [] {
            for (int turn = 0; turn < 2; ++turn) {
                sg::this_actor::sleep_until(work_change_time(turn));
                for (size_t i = size_t(turn); i < host_cables.size(); i += 3)
                    host_cables[i].change(work_change_bandwidth(turn));
            }
        });
    const double start = work_now();
    e.run();
    work_report(row, n, (work_now() - start) / double(count) * 1e9, "ns");
    std::fprintf(stderr, "end %.17g %.17g\n", sg::Engine::get_clock(), sum_of_ends);
}
