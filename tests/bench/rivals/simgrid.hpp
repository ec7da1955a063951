// What the rows of SimGrid have in common: settings under which it computes what the kit does, and is fastest.
#ifndef RIVALS_SIMGRID_HPP
#define RIVALS_SIMGRID_HPP

#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace sg = simgrid::s4u;

static std::vector<sg::Host *> hosts;
static double sum_of_ends; // of all transfers [s]

// Its arguments: it prints warnings only.
struct Quiet {
    char warnings[32] = "--log=root.threshold:warning";
    char *arguments[3];
    int count = 2;
    explicit Quiet(char *program) : arguments{ program, warnings, nullptr } {}
};

static void configure(const std::string &optim, double window)
{
    sg::Engine::set_config("network/model:CM02");
    sg::Engine::set_config("network/crosstraffic:0");
    sg::Engine::set_config("network/optim:" + optim);
    sg::Engine::set_config("network/TCP-gamma:" + std::to_string(window));
    sg::Engine::set_config("contexts/factory:raw");
    sg::Engine::set_config("contexts/stack-size:64");
}

#endif
