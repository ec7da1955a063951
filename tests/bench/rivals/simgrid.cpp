// Rows of processes and of the star for SimGrid, in the settings that were fastest. PROGRAM ROW N. Its links are shared
// max-min fairly, so it has the rows of the star that are called so and not those of equal shares.
#include "../work.h"
#include "simgrid.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>

static void star(unsigned n)
{
    auto *zone = sg::create_star_zone("star");
    for (unsigned i = 0; i < n; ++i) {
        auto *host = zone->create_host("h" + std::to_string(i), "1Gf");
        const auto *link = zone->create_split_duplex_link("l" + std::to_string(i), WORK_BANDWIDTH)->set_latency(WORK_LATENCY / 2)->seal();
        const std::vector<sg::LinkInRoute> up{ { link, sg::LinkInRoute::Direction::UP } };
        zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, up, true);
        hosts.push_back(host);
    }
    zone->seal();
}

int main(int, char **argv)
{
    const std::string row = argv[1];
    const unsigned n = unsigned(std::strtoul(argv[2], nullptr, 10));
    const bool once = row.rfind("star-once", 0) == 0, turn = row.rfind("star-turn", 0) == 0;
    const bool varied = row.size() > 7 && row.compare(row.size() - 7, 7, "-random") == 0;
    const double flows = double(n) * (n - 1);
    long rounds = 0;
    const bool waiting = row == "resource" || row == "semaphore" || row == "condition-mutex" || row == "barrier" || row == "join";
    if (!once && !turn && !waiting && row != "wait" && row != "mailbox" && row != "spawn" && row != "mm1") return 2;
    if ((once || turn) && row.find("-maxmin") == std::string::npos) return 2;
    Quiet quiet(argv[0]);
    sg::Engine e(&quiet.count, quiet.arguments);
    configure(once ? "Full" : "Lazy", 0);
    star(once || turn ? n : 2);
    if (once) {
        sg::Actor::create("starter", hosts[0], [=] {
            std::vector<sg::CommPtr> all;
            for (unsigned i = 0; i < n; ++i)
                for (unsigned j = 0; j < n; ++j)
                    if (i != j) all.push_back(sg::Comm::sendto_async(hosts[i], hosts[j], uint64_t(work_size(n, i, j, varied))));
            sg::Comm::wait_all(all);
            for (const auto &comm : all) sum_of_ends += comm->get_finish_time();
        });
    } else if (turn) {
        for (unsigned i = 0; i < n; ++i)
            sg::Actor::create("sender", hosts[i], [=] {
                for (unsigned k = 1; k < n; ++k) {
                    const unsigned to = (i + k) % n;
                    sg::Comm::sendto(hosts[i], hosts[to], uint64_t(work_size(n, i, to, varied)));
                    sum_of_ends += sg::Engine::get_clock();
                }
            });
    } else if (row == "wait") {
        rounds = 2000000 / long(n) + 1;
        for (unsigned i = 0; i < n; ++i)
            sg::Actor::create("waiter", hosts[0], [=] {
                for (long k = 0; k < rounds; ++k) sg::this_actor::sleep_for(work_time());
            });
    } else if (row == "mailbox") {
        rounds = 200000 / long(n) + 1;
        for (unsigned i = 0; i < n; ++i)
            for (int side = 0; side < 2; ++side)
                sg::Actor::create("player", hosts[0], [=] {
                    static int payload;
                    auto *mine = sg::Mailbox::by_name(std::to_string(2 * i + side));
                    auto *other = sg::Mailbox::by_name(std::to_string(2 * i + 1 - side));
                    for (long k = 0; k < rounds; ++k) {
                        if (side == 0) other->put(&payload, 0), mine->get<int>();
                        else mine->get<int>(), other->put(&payload, 0);
                    }
                });
    } else if (row == "resource") {
        rounds = 200000;
        auto mutex = sg::Mutex::create();
        for (unsigned i = 0; i < n; ++i)
            sg::Actor::create("locker", hosts[0], [=] {
                for (long k = 0; k < rounds; ++k) mutex->lock(), mutex->unlock();
            });
    } else if (row == "semaphore") {
        rounds = 200000;
        auto semaphore = sg::Semaphore::create(1);
        for (unsigned i = 0; i < n; ++i)
            sg::Actor::create("taker", hosts[0], [=] {
                for (long k = 0; k < rounds; ++k) semaphore->acquire(), semaphore->release();
            });
    } else if (row == "condition-mutex") { // two, each signals the other's condition and waits for its own
        rounds = 100000;
        auto mutex = sg::Mutex::create();
        auto first = sg::ConditionVariable::create(), second = sg::ConditionVariable::create();
        for (int side = 0; side < 2; ++side)
            sg::Actor::create("listener", hosts[0], [=] {
                static bool ball;
                const auto &mine = side ? second : first, &other = side ? first : second;
                std::unique_lock<sg::Mutex> lock(*mutex);
                for (long k = 0; k < rounds; ++k) {
                    while (ball != bool(side)) mine->wait(lock);
                    ball = !side;
                    other->notify_one();
                }
            });
    } else if (row == "barrier") {
        rounds = 200000 / long(n);
        auto barrier = sg::Barrier::create(n);
        for (unsigned i = 0; i < n; ++i)
            sg::Actor::create("arriver", hosts[0], [=] {
                for (long k = 0; k < rounds; ++k) barrier->wait();
            });
    } else if (row == "spawn" || row == "join") {
        sg::Actor::create("spawner", hosts[0], [=] {
            for (unsigned i = 0; i < n; ++i) sg::Actor::create("child", hosts[0], [] {})->join();
        });
    } else {
        auto *queue = sg::Mailbox::by_name("queue");
        auto server = sg::Actor::create("server", hosts[0], [=] {
            for (unsigned i = 0; i < n; ++i) {
                std::unique_ptr<double> customer(queue->get<double>());
                sg::this_actor::sleep_for(work_time());
            }
        });
        queue->set_receiver(server);
        sg::Actor::create("source", hosts[0], [=] {
            for (unsigned i = 0; i < n; ++i) {
                sg::this_actor::sleep_for(work_time() / 0.9);
                queue->put_init(new double(sg::Engine::get_clock()), 0)->detach();
            }
        });
    }
    const double start = work_now();
    e.run();
    const double seconds = work_now() - start;
    const double pieces = once || turn ? flows : row == "wait" ? double(rounds) * n
        : row == "mailbox" ? 2.0 * double(rounds) * n
        : row == "condition-mutex" ? 2.0 * double(rounds) : row == "resource" || row == "semaphore" || row == "barrier" ? double(rounds) * n : n;
    work_report(row.c_str(), n, seconds / pieces * 1e9, "ns");
    std::fprintf(stderr, "end %.17g %.17g\n", sg::Engine::get_clock(), sum_of_ends);
}
